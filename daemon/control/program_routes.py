"""The control API's programs: which can be connected, what that would change, doing it, and taking it back.

Another command of ours does it, since it reads and writes other programs' files; it runs as who runs the daemon, on the
daemon's machine. Dashboard and command line find the daemon by a file there, so they are on the same one.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import delete, get, post
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.control.by_command import told
from daemon.errors import BadRequest, NotFound
from daemon.settings import CLIENT_NAME
from daemon.wire import Connectable, ConnectDone, ConnectPlan, ConnectUndone, NewConnection

Http = HttpRequest[Any, Any, Any]
SHELL: Final = "env"
"""Not a program with settings: variables for a shell, which a command prints there."""


def program_routes(callers: Callers) -> list[ControllerRouterHandler]:
    """/nearloop/v1/clients/programs."""

    def allow(request: Http, name: str = "") -> None:
        require(callers.identify(bearer(request.headers)), "admin")
        if name and not CLIENT_NAME.fullmatch(name):  # and so no option of the command's
            raise NotFound("no program of this name is known here: `nearloop connect --list` shows them")

    @get("/nearloop/v1/clients/programs")
    async def programs(request: Http) -> tuple[Connectable, ...]:
        allow(request)
        return await told(tuple[Connectable, ...], "connect", "--list", "--json")

    @get("/nearloop/v1/clients/programs/{name:str}")
    async def plan(request: Http, name: FromPath[str]) -> ConnectPlan:
        allow(request, name)
        if name == SHELL:
            raise BadRequest("variables belong into a shell: `nearloop connect env` prints them there")
        return await told(ConnectPlan, "connect", "--dry-run", "--json", name)

    @post("/nearloop/v1/clients/programs/{name:str}", status_code=200)
    async def connect(request: Http, name: FromPath[str]) -> ConnectDone:
        allow(request, name)
        try:
            digest = msgspec.json.decode(await request.body(), type=NewConnection).digest
        except msgspec.DecodeError as error:
            raise BadRequest("a connection is {digest}, of the plan that GET told") from error
        if name == SHELL:
            raise BadRequest("variables belong into a shell: `nearloop connect env` prints them there")
        return await told(ConnectDone, "connect", "--yes", "--json", f"--digest={digest}", name)

    @delete("/nearloop/v1/clients/programs/{name:str}", status_code=200)
    async def undo(request: Http, name: FromPath[str]) -> ConnectUndone:
        allow(request, name)
        return await told(ConnectUndone, "connect", "--undo", "--json", name)

    return [programs, plan, connect, undo]

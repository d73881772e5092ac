"""The control API's glass wall: the words of a request, and the very bytes that left for it.

They are told to nobody but the admin token, which is in a file of the user's, as the words of what waits for an approval
are: a client's token with the scope `admin` is refused.
"""

from __future__ import annotations

from typing import Any

from litestar import Request as HttpRequest
from litestar import get
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.errors import Refused
from daemon.settings import ADMIN
from daemon.wall import Wall
from daemon.wall_wire import GlassWall

Http = HttpRequest[Any, Any, Any]


def wall_routes(wall: Wall, callers: Callers) -> list[ControllerRouterHandler]:
    """/nearloop/v1/records/ID/wall."""

    @get("/nearloop/v1/records/{id:str}/wall")
    async def one(request: Http, id: FromPath[str]) -> GlassWall:
        caller = callers.identify(bearer(request.headers))
        require(caller, "admin")
        if caller.name != ADMIN:
            raise Refused("the words of requests are shown to the admin token alone: `nearloop tui` has it")
        return wall.find(id)

    return [one]

"""The control API's clients: programs with a token, what they may do, what they may take a day and what they took."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import msgspec
from litestar import Request as HttpRequest
from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from daemon.allowances import Allowances
from daemon.callers import Callers, bearer, new_token, require, token_hash
from daemon.errors import BadRequest
from daemon.settings import ADMIN, CLIENT_NAME, DEFAULT_SCOPES, Client, Scope, Settings, SettingsFile
from daemon.wire import ClientInfo, Clients, NewClient, NewToken, PerDay

Http = HttpRequest[Any, Any, Any]


def client_routes(
    allowances: Allowances, callers: Callers, file: SettingsFile, take_in: Callable[[Settings], None]
) -> list[ControllerRouterHandler]:
    """/nearloop/v1/clients. take_in: is given new settings."""

    def allow(request: Http) -> None:
        require(callers.identify(bearer(request.headers)), "admin")

    def shown() -> Clients:
        known = file.settings.clients.items()
        return Clients(
            tuple(ClientInfo(name, each.scopes, each.per_day, allowances.today(name)) for name, each in known)
        )

    @get("/nearloop/v1/clients")
    async def clients(request: Http) -> Clients:
        allow(request)
        return shown()

    @post("/nearloop/v1/clients", status_code=201)
    async def add(request: Http) -> NewToken:
        allow(request)
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewClient)
        except msgspec.DecodeError as error:
            raise BadRequest(f"a client is {{name, scopes}}: {error}") from error
        if not CLIENT_NAME.fullmatch(wanted.name) or wanted.name == ADMIN:
            raise BadRequest("a client's name is 1 to 40 of a-z, 0-9, - and _, and not admin", "name")
        token, scopes = new_token(), _scopes(wanted.scopes)
        take_in(file.add_client(wanted.name, Client(token_hash(token), scopes)))
        return NewToken(wanted.name, token, scopes)

    @delete("/nearloop/v1/clients/{name:str}", status_code=200)
    async def revoke(request: Http, name: FromPath[str]) -> Clients:
        allow(request)
        take_in(file.remove_client(name))
        return shown()

    @put("/nearloop/v1/clients/{name:str}/per_day", status_code=200)
    async def limit(request: Http, name: FromPath[str]) -> Clients:
        allow(request)
        try:
            wanted = msgspec.json.decode(await request.body(), type=PerDay)
        except msgspec.DecodeError as error:
            raise BadRequest(
                f"what a client may take a day is {{requests, tokens, cost_usd}}, each above 0 or null: {error}"
            ) from error
        take_in(file.limit_client(name, wanted))
        return shown()

    return [clients, add, revoke, limit]


def _scopes(names: tuple[str, ...] | None) -> tuple[Scope, ...]:
    if names is None:
        return DEFAULT_SCOPES
    known: tuple[Scope, ...] = get_args(Scope)
    if not names or not set(names) <= set(known):
        raise BadRequest(f"scopes are: {', '.join(known)}", "scopes")
    return tuple(scope for scope in known if scope in names)

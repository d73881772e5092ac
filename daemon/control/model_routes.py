"""The control API's models: which there are, what is in memory, and what is fetched."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import delete, get, post
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.control.by_command import told
from daemon.errors import BadRequest
from daemon.fetches import Fetches
from daemon.pool import Pool
from daemon.settings import Scope
from daemon.wire import Fetch, Holding, Inventory, Model, Models, NewFetch, NewKeep

MAX_WAIT_S: Final = 60.0
Http = HttpRequest[Any, Any, Any]


def model_routes(pool: Pool, fetches: Fetches, callers: Callers) -> list[ControllerRouterHandler]:
    """/nearloop/v1/models and /nearloop/v1/inventory."""

    def allow(request: Http, scope: Scope) -> None:
        require(callers.identify(bearer(request.headers)), scope)

    @get("/nearloop/v1/models")
    async def models(request: Http) -> Models:
        allow(request, "read:records")
        return Models(pool.infos())

    @post("/nearloop/v1/models/{name:str}/load", status_code=200)
    async def load(
        request: Http, name: FromPath[str], wait_s: Annotated[float, QueryParameter(ge=0, le=MAX_WAIT_S)] = MAX_WAIT_S
    ) -> Model:
        allow(request, "admin")
        model = pool.find(name)
        await model.load(wait_s)
        return model.info()

    @post("/nearloop/v1/models/{name:str}/unload", status_code=200)
    async def unload(request: Http, name: FromPath[str]) -> Model:
        allow(request, "admin")
        return (await pool.unload(name)).info()

    @post("/nearloop/v1/models/{name:str}/keep", status_code=200)
    async def keep(request: Http, name: FromPath[str]) -> Model:
        allow(request, "admin")
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewKeep)
        except msgspec.DecodeError as error:
            raise BadRequest("whether a model is kept is {pinned}, true or false") from error
        return pool.pin(name, wanted.pinned).info()

    @get("/nearloop/v1/inventory")
    async def inventory(request: Http) -> Inventory:
        allow(request, "admin")
        return Inventory(await told(tuple[Holding, ...], "models", "list", "--json"), fetches.known)

    @post("/nearloop/v1/inventory/fetches", status_code=202)
    async def begin(request: Http) -> Fetch:
        allow(request, "admin")
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewFetch)
        except msgspec.DecodeError as error:
            raise BadRequest("a fetch is {model, file}, of a name or a repository") from error
        return fetches.begin(wanted.model, wanted.file)

    @delete("/nearloop/v1/inventory/fetches", status_code=202)
    async def stop(request: Http, model: FromQuery[str]) -> dict[str, str]:
        allow(request, "admin")
        fetches.stop(model)
        return {"status": "stopping"}

    return [models, load, unload, keep, inventory, begin, stop]

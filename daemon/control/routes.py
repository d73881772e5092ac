"""The control API: what command line, dashboard and tray see and do."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import delete, get, post, put, route
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.types import ControllerRouterHandler

from daemon.ages import age
from daemon.callers import Callers, bearer, require
from daemon.control.approval_routes import approval_routes
from daemon.control.by_command import told
from daemon.control.client_routes import client_routes
from daemon.control.dictionary_routes import dictionary_routes
from daemon.control.model_routes import MAX_WAIT_S, model_routes
from daemon.control.policy_routes import policy_routes
from daemon.control.program_routes import program_routes
from daemon.control.receipt_routes import receipt_routes
from daemon.control.recipe_choice_routes import recipe_choice_routes
from daemon.control.recipe_routes import recipe_routes
from daemon.control.spending_routes import spending_routes
from daemon.control.state import State
from daemon.control.wall_routes import wall_routes
from daemon.errors import BadRequest
from daemon.records import before
from daemon.settings import Scope, SettingsFile
from daemon.wire import (
    Devices,
    Diagnosis,
    Events,
    Learned,
    NewOutcome,
    NewPrivacy,
    NewProbe,
    Privacy,
    Purged,
    RecordDetail,
    Records,
    Status,
)

MAX_RECORDS: Final = 1000
Http = HttpRequest[Any, Any, Any]


def routes(state: State, callers: Callers, file: SettingsFile) -> list[ControllerRouterHandler]:
    """All of /nearloop/v1, and /health."""

    def allow(request: Http, scope: Scope) -> None:
        require(callers.identify(bearer(request.headers)), scope)

    @route("/health", http_method=["GET", "HEAD"])
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @get("/nearloop/v1/status")
    async def status(request: Http) -> Status:
        allow(request, "read:records")
        return await state.status()

    @get("/nearloop/v1/devices")
    async def devices(request: Http) -> Devices:
        allow(request, "read:records")
        return await state.devices.info(tuple(model.ref for model in state.pool.models.values()))

    @post("/nearloop/v1/devices/probe", status_code=202)
    async def probe(request: Http) -> dict[str, str]:
        allow(request, "admin")
        try:
            wanted = msgspec.json.decode(await request.body() or b"{}", type=NewProbe).model
        except msgspec.DecodeError as error:
            raise BadRequest("a probe is {model}, with the bare name of a local model") from error
        model = state.pool.find((wanted or state.pool.names()[0]).removeprefix("local/"))
        state.devices.begin_probe(model.ref)
        return {"model": model.ref.name}

    @get("/nearloop/v1/records")
    async def records(
        request: Http,
        since: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=MAX_RECORDS)] = 50,
    ) -> Records:
        allow(request, "read:records")
        start = before(state.clock.now(), age(since, "since")) if since else None
        return Records(await state.store.list(start, limit))

    @get("/nearloop/v1/records/{id:str}")
    async def record(request: Http, id: FromPath[str]) -> RecordDetail:
        allow(request, "read:records")
        return await state.find(id)

    @post("/nearloop/v1/records/{id:str}/outcome", status_code=201)
    async def outcome(request: Http, id: FromPath[str]) -> Learned:
        allow(request, "admin")
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewOutcome)
        except msgspec.DecodeError as error:
            raise BadRequest("an outcome is {right}, true or false") from error
        return await state.learn((await state.store.find(id)).record, wanted.right)

    @delete("/nearloop/v1/records", status_code=200)
    async def purge(request: Http, older_than: FromQuery[str] = "0s") -> Purged:
        allow(request, "admin")
        return Purged(await state.purge(age(older_than, "older_than")))

    @get("/nearloop/v1/events")
    async def events(
        request: Http,
        since: Annotated[int | None, QueryParameter(ge=0)] = None,
        wait_s: Annotated[float, QueryParameter(ge=0, le=MAX_WAIT_S)] = 0.0,
    ) -> Events:
        allow(request, "read:records")
        return await state.events.read(since, wait_s)

    @get("/nearloop/v1/settings")
    async def settings(request: Http) -> dict[str, Any]:
        allow(request, "admin")
        shown: dict[str, Any] = msgspec.to_builtins(file.settings)
        for client in shown["clients"].values():
            del client["token_hash"]
        return shown

    @get("/nearloop/v1/doctor")
    async def doctor(request: Http) -> tuple[Diagnosis, ...]:
        allow(request, "admin")
        return await told(tuple[Diagnosis, ...], "doctor", "--json")

    @get("/nearloop/v1/privacy")
    async def privacy(request: Http) -> Privacy:
        allow(request, "read:records")
        return state.privacy

    @put("/nearloop/v1/privacy", status_code=200)
    async def set_privacy(request: Http) -> Privacy:
        allow(request, "admin")
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewPrivacy)
        except msgspec.DecodeError as error:
            raise BadRequest("privacy is {local_only}, true or false") from error
        return await asyncio.to_thread(state.set_local_only, wanted.local_only)

    @post("/nearloop/v1/stop", status_code=202)
    async def stop(request: Http) -> dict[str, str]:
        allow(request, "admin")
        state.stop()
        return {"status": "stopping"}

    def reread() -> None:
        state.settings_changed(file.reread())

    @post("/nearloop/v1/settings/reread", status_code=200)
    async def reread_settings(request: Http) -> dict[str, str]:
        allow(request, "admin")
        reread()
        return {"status": "taken in"}

    return [
        *model_routes(state.pool, state.fetches, callers),
        *recipe_routes(state.book, callers, reread),
        *recipe_choice_routes(state.book, callers, file, state.settings_changed),
        *approval_routes(state.approvals, state.holds, callers),
        *receipt_routes(state.receipts, state.store, callers, state.clock),
        *client_routes(state.allowances, callers, file, state.settings_changed),
        *spending_routes(state.purses, state.store, callers, file, state.settings_changed),
        *program_routes(callers),
        *policy_routes(state.policies, file, callers),
        *dictionary_routes(file, callers, state.settings_changed),
        *wall_routes(state.wall, callers),
        health, status, devices, probe, records, record, purge, events,
        settings, reread_settings, doctor, privacy, set_privacy, outcome, stop
    ]  # fmt: skip

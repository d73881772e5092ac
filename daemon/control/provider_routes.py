"""The control API's providers: who may be asked, whether they answer, and their keys, which only come in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from daemon import secrets
from daemon.boundary.switch import Switch
from daemon.callers import Callers, bearer, require
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.provider_rows import known_vendors, made, require_unnamed
from daemon.secrets import StoredKey
from daemon.settings import Provider as Row
from daemon.settings import Settings, SettingsFile
from daemon.upstreams.upstreams import Upstreams
from daemon.wire import AddedProvider, KnownVendor, NewKey, NewProvider, ProviderInfo, Providers, Tested, Upstream
from providers.cleared import Place, Provider
from providers.places import place_of

Http = HttpRequest[Any, Any, Any]


def provider_routes(
    running: Mapping[str, Provider],
    upstreams: Upstreams,
    keys: Mapping[str, StoredKey],
    switch: Switch,
    callers: Callers,
    file: SettingsFile,
    take_in: Callable[[Settings], None],
) -> list[ControllerRouterHandler]:
    """/nearloop/v1/providers. running: those that the daemon started with, upstreams: how they stand,
    keys: theirs. take_in: is given new settings."""
    started = dict(file.settings.providers)

    def allow(request: Http) -> None:
        require(callers.identify(bearer(request.headers)), "admin")

    def row_of(name: str) -> Row:
        if name not in file.settings.providers:
            raise NotFound(f"there is no provider {name}: `nearloop provider add {name}` adds it")
        return file.settings.providers[name]

    async def info(name: str, row: Row, running: bool, removed: bool = False) -> ProviderInfo:
        return await _info(name, row, running, removed, upstreams.shown(name) if running else None)

    def kept_in_keyring(name: str) -> None:
        if (source := row_of(name).key) != "keyring":
            raise BadRequest(
                f'{name} has `key = "{source}"` in settings.toml: `key = "keyring"` keeps it in the keyring'
            )

    @get("/nearloop/v1/providers")
    async def providers(request: Http) -> Providers:
        allow(request)
        return await shown()

    async def shown() -> Providers:
        rows = file.settings.providers
        gone = [name for name in started if name not in rows]
        found = await asyncio.gather(
            *(info(name, row, started.get(name) == row) for name, row in rows.items()),
            *(info(name, started[name], running=True, removed=True) for name in gone),
        )
        return Providers(tuple(found))

    @get("/nearloop/v1/providers/vendors")
    async def vendors(request: Http) -> tuple[KnownVendor, ...]:
        allow(request)
        return await asyncio.to_thread(known_vendors)

    @post("/nearloop/v1/providers", status_code=201)
    async def add(request: Http) -> AddedProvider:
        allow(request)
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewProvider)
        except msgspec.DecodeError:
            raise BadRequest("a provider is {name, base_url, wire, models, key, place}") from None
        found = await asyncio.to_thread(made, wanted, file.settings)
        take_in(file.add_provider(wanted.name, found.row))
        added = await info(wanted.name, found.row, started.get(wanted.name) == found.row)
        return AddedProvider(added, found.notes, found.warnings)

    @delete("/nearloop/v1/providers/{name:str}", status_code=200)
    async def remove(request: Http, name: FromPath[str]) -> Providers:
        allow(request)
        row_of(name)
        require_unnamed(name, file.settings)
        take_in(file.remove_provider(name))
        return await shown()

    @post("/nearloop/v1/providers/{name:str}/test", status_code=200)
    async def test(request: Http, name: FromPath[str]) -> Tested:
        allow(request)
        row = row_of(name)
        if started.get(name) != row:
            raise BadRequest(f"{name} was added or changed since the daemon started: `nearloop down` and `nearloop up`")
        if running[name].place is not Place.DEVICE:
            switch.require_off("a question to a provider")
        began = time.perf_counter()
        await upstreams.look()
        models = await running[name].models()
        upstreams.renew(name)
        took_ms = round((time.perf_counter() - began) * 1000, 1)
        return Tested(name, took_ms, models, tuple(sorted({*row.models} - {*models})))

    @post("/nearloop/v1/providers/{name:str}/renew", status_code=200)
    async def renew(request: Http, name: FromPath[str]) -> ProviderInfo:
        allow(request)
        row_of(name)
        return await changed(name)

    @put("/nearloop/v1/providers/{name:str}/key", status_code=200)
    async def set_key(request: Http, name: FromPath[str]) -> ProviderInfo:
        allow(request)
        kept_in_keyring(name)
        try:
            key = secrets.key_from(msgspec.json.decode(await request.body(), type=NewKey).key)
        except msgspec.DecodeError:
            raise BadRequest("a key is {key}") from None  # nothing of the body is told
        await asyncio.to_thread(secrets.set, name, key)
        return await changed(name)

    @delete("/nearloop/v1/providers/{name:str}/key", status_code=200)
    async def remove_key(request: Http, name: FromPath[str]) -> ProviderInfo:
        allow(request)
        kept_in_keyring(name)
        if not await asyncio.to_thread(secrets.delete, name):
            raise NotFound(f"the keyring has no key of {name}")
        return await changed(name)

    async def changed(name: str) -> ProviderInfo:
        if name in keys:
            keys[name].forget()
            upstreams.renew(name)
        return await info(name, row_of(name), started.get(name) == row_of(name))

    return [providers, vendors, add, remove, test, renew, set_key, remove_key]


async def _info(name: str, row: Row, running: bool, removed: bool, upstream: Upstream | None) -> ProviderInfo:
    place = place_of(row.base_url, row.place)
    trouble = None
    try:
        await asyncio.to_thread(secrets.read, name, row.key, place.value)
    except NearloopError as error:
        trouble = str(error)
    caution = secrets.caution(row.key)
    return ProviderInfo(
        name, row.base_url, row.wire, place.value, row.models, row.key, trouble, caution, running, removed, upstream
    )

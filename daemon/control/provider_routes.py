"""The control API's providers: who may be asked, whether they answer, and their keys, which only come in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery
from litestar.types import ControllerRouterHandler
from msgspec import UnsetType
from msgspec.structs import replace

from daemon import secrets
from daemon.boundary.switch import Switch
from daemon.callers import Callers, bearer, require
from daemon.errors import BadRequest, NotFound
from daemon.provider_rows import known_vendors, made, require_unnamed
from daemon.settings import KEY_LABEL, Settings, SettingsFile, Spent
from daemon.settings import Provider as Row
from daemon.stored_keys import StoredKeys
from daemon.upstreams.upstreams import Upstreams
from daemon.wire import AddedProvider, KnownVendor, NewKey, NewProvider, ProviderInfo, Providers, Tested
from providers.cleared import Place, Provider
from providers.places import place_of

Http = HttpRequest[Any, Any, Any]


def provider_routes(
    running: Mapping[str, Provider],
    upstreams: Upstreams,
    keys: Mapping[str, StoredKeys],
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

    def as_it_runs(name: str, row: Row) -> bool:
        """Whether the daemon asks it as the settings have it; where its keys are is taken in while it runs."""
        old = started.get(name)
        return old is not None and replace(old, key=row.key, keys=row.keys) == row

    async def info_of(name: str, row: Row, removed: bool = False) -> ProviderInfo:
        place = place_of(row.base_url, row.place)
        held = keys.get(name)
        if held is None or held.sources != row.sources:
            held = StoredKeys(name, row.sources, place.value)
        told = await held.info()
        troubles = [each.trouble for each in told if each.trouble is not None]
        return ProviderInfo(
            name=name,
            base_url=row.base_url,
            wire=row.wire,
            place=place.value,
            models=row.models,
            key=row.key,
            trouble=troubles[0] if len(troubles) == len(told) else None,
            caution=next((each.caution for each in told if each.caution is not None), None),
            running=removed or as_it_runs(name, row),
            removed=removed,
            keys=told,
            upstream=upstreams.shown(name) if removed or as_it_runs(name, row) else None,
            day_usd=file.settings.spending.providers.get(name, Spent()).day_usd,
        )

    def require_keyring(name: str, label: str | None) -> None:
        if label is not None and not KEY_LABEL.fullmatch(label):
            raise BadRequest("a key's label is 1 to 40 of a-z, 0-9, - and _", "label")
        source = row_of(name).key
        if label is None and source != "keyring":
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
            *(info_of(name, row) for name, row in rows.items()),
            *(info_of(name, started[name], removed=True) for name in gone),
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
        info = await info_of(wanted.name, found.row)
        return AddedProvider(info, found.notes, found.warnings)

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
        if not as_it_runs(name, row):
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
        take_in(file.reread())
        row_of(name)
        return await changed(name)

    @put("/nearloop/v1/providers/{name:str}/key", status_code=200)
    async def set_key(request: Http, name: FromPath[str]) -> ProviderInfo:
        allow(request)
        row_of(name)
        try:
            wanted = msgspec.json.decode(await request.body(), type=NewKey)
        except msgspec.DecodeError:
            raise BadRequest(
                "a key is {key, label, day_usd}, all but the key if need be"
            ) from None  # nothing is told of it
        require_keyring(name, wanted.label)
        key = secrets.key_from(wanted.key)
        if not isinstance(wanted.day_usd, UnsetType):  # before the key: there is none that may cost more than was said
            spent = file.settings.spending.providers.get(name, Spent())
            take_in(file.limit_provider(name, replace(spent, day_usd=wanted.day_usd)))
        await asyncio.to_thread(secrets.set, name, key, wanted.label)
        if wanted.label is not None:
            take_in(file.add_key(name, f"keyring:{wanted.label}"))
        return await changed(name)

    @delete("/nearloop/v1/providers/{name:str}/key", status_code=200)
    async def remove_key(request: Http, name: FromPath[str], label: FromQuery[str | None] = None) -> ProviderInfo:
        allow(request)
        require_keyring(name, label)
        if not await asyncio.to_thread(secrets.delete, name, label):
            raise NotFound(f"the keyring has no such key of {name}")
        if label is not None:
            take_in(file.remove_key(name, f"keyring:{label}"))
        return await changed(name)

    async def changed(name: str) -> ProviderInfo:
        if name in keys:
            keys[name].forget()
            upstreams.renew(name)
        return await info_of(name, row_of(name))

    return [providers, vendors, add, remove, test, renew, set_key, remove_key]

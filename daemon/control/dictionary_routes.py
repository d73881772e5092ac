"""The control API's dictionary: words of the user's own, read, added and forgotten.

The words stand in bodies alone and never in an address, since addresses are what logs keep.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from litestar import Request as HttpRequest
from litestar import get, post
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from daemon.callers import Callers, bearer, require
from daemon.errors import BadRequest
from daemon.own_words import KINDS, with_words, without
from daemon.settings import Dictionary, Settings, SettingsFile
from daemon.signals.everyday import is_everyday
from daemon.wire import GoneWords, NewWords, OwnWord, OwnWords

Http = HttpRequest[Any, Any, Any]
Body = TypeVar("Body", bound=Struct)


def dictionary_routes(
    file: SettingsFile, callers: Callers, changed: Callable[[Settings], None]
) -> list[ControllerRouterHandler]:
    """/nearloop/v1/dictionary. changed: takes new settings in."""

    def allow(request: Http) -> None:
        require(callers.identify(bearer(request.headers)), "admin")

    one_at_a_time = asyncio.Lock()

    async def written(make: Callable[[Dictionary], Dictionary]) -> None:
        """What is made of the dictionary as it is on the disk, since a command may have written meanwhile."""
        async with one_at_a_time:
            known = await asyncio.to_thread(file.reread)
            changed(await asyncio.to_thread(file.set_dictionary, make(known.dictionary)))

    @get("/nearloop/v1/dictionary")
    async def shown(request: Http) -> OwnWords:
        allow(request)
        return OwnWords(_listed(file.settings.dictionary))

    @post("/nearloop/v1/dictionary", status_code=201)
    async def add(request: Http) -> OwnWords:
        allow(request)
        wanted = await _body(request, NewWords)
        words = tuple(filter(None, map(str.strip, wanted.words)))
        await written(lambda known: with_words(known, wanted.kind, words))
        everyday: tuple[str, ...] = ()
        if wanted.kind != "harmless":
            everyday = await asyncio.to_thread(lambda: tuple(filter(is_everyday, words)))
        return OwnWords(_listed(file.settings.dictionary), everyday)

    @post("/nearloop/v1/dictionary/forget", status_code=200)
    async def forget(request: Http) -> OwnWords:
        allow(request)
        wanted = await _body(request, GoneWords)
        await written(lambda known: without(known, wanted.words))
        return OwnWords(_listed(file.settings.dictionary))

    return [shown, add, forget]


def _listed(known: Dictionary) -> tuple[OwnWord, ...]:
    return tuple(
        msgspec.convert({"word": word, "kind": kind}, OwnWord)
        for kind, field in KINDS.items()
        for word in getattr(known, field)
    )


async def _body(request: Http, shape: type[Body]) -> Body:
    try:
        return msgspec.json.decode(await request.body(), type=shape)
    except msgspec.DecodeError as error:
        fields = ", ".join(shape.__struct_fields__)
        raise BadRequest(f"the body is {{{fields}}}; kinds are {', '.join(KINDS)}") from error

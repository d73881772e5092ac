"""Ollama's pull and delete, by our own commands; what it also knows and we don't is refused by name.

They change what this machine has, and the first makes a connection, so they need the scope `admin`. A pull of a model that
is here succeeds for everybody, since many clients pull before they ask.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, delete, post, route
from litestar.params import FromPath
from litestar.response import Stream
from litestar.types import ControllerRouterHandler

from daemon.callers import bearer, require
from daemon.errors import BadRequest, NearloopError, NotBuilt, UnknownModel
from daemon.own_command import command, lines
from daemon.pipeline import Rooms
from daemon.pool import Pool
from daemon.protocols.errors import problem
from daemon.protocols.ollama_fields import LATEST, refusal
from daemon.protocols.reading import read_as
from daemon.surfaces.described import offered
from daemon.surfaces.ollama_models import name_of
from daemon.surfaces.served import Served
from providers.wire import ollama as wire

Http = HttpRequest[Any, Any, Any]
Started = Callable[..., list[str]]
NDJSON: Final = "application/x-ndjson"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}(/[A-Za-z0-9][A-Za-z0-9._-]{0,95})?")
_FILE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}\.gguf")
_HUBS: Final = ("hf.co/", "huggingface.co/")
_decode_name: Final = msgspec.json.Decoder(wire.NameRequest).decode
_encode: Final = msgspec.json.Encoder().encode
_REFUSED: Final = {
    "/api/copy": "a model has one name here: `nearloop models import FILE --name NAME` gives a file another one",
    "/api/create": "models are not made here: `nearloop models import FILE` takes one in, recipes give them instructions",
    "/api/push": "nothing is published from here",
}


def routes(served: Served, started: Started = command) -> list[ControllerRouterHandler]:
    """Pull, delete, and what is refused. started: how one of our commands is started."""
    rooms = served.pipeline.rooms

    @post("/api/pull", status_code=200, name="ollama-pull")
    async def pull(request: Http) -> Response[Any]:
        caller = served.callers.identify(bearer(request.headers))
        body = await request.body()
        asked, name = read_as(_decode_name, body), name_of(body)
        if any(_is_here(rooms, each, caller.name) for each in (name, f"local/{name}")):
            told = _nothing()
        else:
            require(caller, "admin")
            told = _fetched(started("models", "pull", "--json", "--", *wanted(name)))
        if asked.stream is False:
            async with aclosing(told):
                async for _ in told:
                    pass
            return Response(wire.PullLine("success"), media_type="application/json")
        return Stream(_streamed(told), media_type=NDJSON)

    @delete("/api/delete", status_code=200, name="ollama-delete")
    async def remove(request: Http) -> None:
        require(served.callers.identify(bearer(request.headers)), "admin")
        name = owned(rooms.pool, name_of(await request.body()))
        async with aclosing(lines(started("models", "remove", "--", name))) as told:
            async for _ in told:
                pass

    def refused(path: str, why: str) -> ControllerRouterHandler:
        @post(path, name=path)
        async def refuse(request: Http) -> None:
            served.callers.identify(bearer(request.headers))
            raise NotBuilt(why)

        return refuse

    @route("/api/blobs/{digest:str}", http_method=["HEAD", "POST"], name="ollama-blobs")
    async def blobs(digest: FromPath[str]) -> None:
        raise NotBuilt(_REFUSED["/api/create"])

    return [pull, remove, blobs, *(refused(path, why) for path, why in _REFUSED.items())]


def _is_here(rooms: Rooms, name: str, client: str | None) -> bool:
    """Whether a name is answered for itself, or since the settings name it. That they map any name fetches nothing."""
    plain = name.removesuffix(LATEST)
    offer = offered(rooms, name, client)
    return offer is not None and (offer.name in (name, plain) or rooms.book.names_it(plain, client))


def wanted(name: str) -> tuple[str, ...]:
    """What our own command calls a model that Ollama's clients name. Raises BadRequest."""
    plain = name.removesuffix(LATEST)
    for hub in _HUBS:
        plain = plain.removeprefix(hub)
    base, _, tag = plain.partition(":")
    if not _NAME.fullmatch(base):
        raise BadRequest(
            "a model is a name that `nearloop models list` shows, or hf.co/ORGANISATION/NAME:FILE.gguf", "model"
        )
    if "/" not in base:
        if tag and not _NAME.fullmatch(tag):
            raise BadRequest("a tag is letters, digits and . _ -", "model")
        return (f"{base}-{tag}" if tag else base,)
    if not tag:
        return (base,)
    if not _FILE.fullmatch(tag) or ".." in tag:
        raise BadRequest(
            "of a repository one file is fetched: name it, as in hf.co/ORGANISATION/NAME:FILE.gguf", "model"
        )
    return (base, tag)


def owned(pool: Pool, name: str) -> str:
    """The bare name of a model on this machine. Raises UnknownModel."""
    for each in (name, name.removesuffix(LATEST)):
        if (bare := each.removeprefix("local/")) in pool.models:
            return bare
    raise UnknownModel("model not found: GET /api/tags lists those there are")


async def _nothing() -> AsyncGenerator[bytes, None]:
    """It is here."""
    yield _line(wire.PullLine("pulling manifest"))


async def _fetched(started_by: list[str]) -> AsyncGenerator[bytes, None]:
    """The command's lines, of which progress is JSON by itself. Raises BadRequest."""
    yield _line(wire.PullLine("pulling manifest"))
    async with aclosing(lines(started_by)) as told:
        async for said in told:
            yield said.encode() + b"\n" if said.startswith("{") else _line(wire.PullLine(said))


async def _streamed(told: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The same with its end, or with the error that is one."""
    try:
        async with aclosing(told):
            async for line in told:
                yield line
        yield _line(wire.PullLine("success"))
    except NearloopError as error:
        yield refusal(problem(error)) + b"\n"


def _line(said: wire.PullLine) -> bytes:
    return _encode(said) + b"\n"

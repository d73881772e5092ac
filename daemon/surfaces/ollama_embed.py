"""Ollama's embeddings, in their present form and the older one."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, post
from litestar.types import ControllerRouterHandler

from daemon.callers import bearer, require
from daemon.errors import BadRequest
from daemon.protocols.ollama_fields import LATEST, seconds
from daemon.protocols.openai_fields import ignored, unknown
from daemon.protocols.reading import read_as
from daemon.surfaces.embedding import Embedded, check_model, embedded
from daemon.surfaces.hang_up import HungUp, Watch
from daemon.surfaces.served import Served
from providers.wire import ollama as wire

Http = HttpRequest[Any, Any, Any]
_decode: Final = msgspec.json.Decoder(wire.EmbedRequest).decode
_decode_older: Final = msgspec.json.Decoder(wire.EmbeddingsRequest).decode
_encode: Final = msgspec.json.Encoder().encode
_NANO: Final = 1e9
_CLOSED: Final = 499
"""What is said to nobody: the client went away."""


def routes(served: Served) -> list[ControllerRouterHandler]:
    """Both addresses."""
    rooms = served.pipeline.rooms

    async def vectors(request: Http, model: str, texts: tuple[str, ...], parameter: str) -> list[Embedded]:
        caller = served.callers.identify(bearer(request.headers))
        require(caller, "infer:local")
        check_model(rooms, model.removesuffix(LATEST), caller.name)
        if not texts:
            return []  # Ollama's answer to nothing
        async with Watch(request.receive):
            return await embedded(rooms, texts, parameter)

    @post("/api/embed", status_code=200, name="ollama-embed")
    async def embed(request: Http) -> Response[bytes]:
        began, body = served.clock.monotonic(), await request.body()
        asked = read_as(_decode, body)
        texts = (asked.input,) if isinstance(asked.input, str) else asked.input
        try:
            found = await vectors(request, asked.model, texts, "input")
        except HungUp:
            return Response(b"", status_code=_CLOSED)
        if found and asked.dimensions not in (None, 0, len(found[0].numbers)):
            width = len(found[0].numbers)
            raise BadRequest(
                f"these vectors have {width} numbers and lose their meaning when they are cut: leave dimensions out",
                "dimensions",
            )
        took = round((served.clock.monotonic() - began) * _NANO)
        numbers = [each.numbers for each in found]
        answer = wire.Embedded(asked.model, numbers, took, 0, sum(each.tokens for each in found))
        return Response(_encode(answer), media_type="application/json", headers=_headers(asked, body))

    @post("/api/embeddings", status_code=200, name="ollama-embeddings")
    async def embeddings(request: Http) -> Response[bytes]:
        body = await request.body()
        asked = read_as(_decode_older, body)
        try:
            found = await vectors(request, asked.model, (asked.prompt,) if asked.prompt else (), "prompt")
        except HungUp:
            return Response(b"", status_code=_CLOSED)
        answer = wire.Embedding(found[0].numbers if found else [])
        return Response(_encode(answer), media_type="application/json", headers=_headers(asked, body))

    return [embed, embeddings]


def _headers(asked: wire.EmbedRequest | wire.EmbeddingsRequest, body: bytes) -> dict[str, str]:
    """What is left aside: the encoder is always there, and reads a long text whole in overlapping windows."""
    seconds(asked.keep_alive)
    aside = [name for name in ("keep_alive", "options") if getattr(asked, name)]
    aside += ignored(unknown(body, frozenset(type(asked).__struct_fields__)), frozenset())
    said = {"x-nearloop-egress": "none"}
    return {**said, "x-nearloop-ignored": ", ".join(aside)} if aside else said

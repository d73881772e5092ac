"""OpenAI's embeddings."""

from __future__ import annotations

import struct
from base64 import b64encode
from typing import Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, post
from litestar.types import ControllerRouterHandler

from daemon.callers import bearer, require
from daemon.errors import BadRequest
from daemon.protocols import openai_fields
from daemon.protocols.reading import read_as
from daemon.surfaces.embedding import check_model, embedded
from daemon.surfaces.hang_up import HungUp, Watch
from daemon.surfaces.served import Served
from providers.wire import openai_embeddings as wire

_decode: Final = msgspec.json.Decoder(wire.EmbeddingRequest).decode
_encode: Final = msgspec.json.Encoder().encode
_KNOWN: Final = frozenset(wire.EmbeddingRequest.__struct_fields__)
_DOCUMENTED: Final = frozenset({"user"})
_CLOSED: Final = 499
"""What is said to nobody: the client went away."""


def routes(served: Served) -> list[ControllerRouterHandler]:
    """The one address."""
    rooms = served.pipeline.rooms

    @post("/v1/embeddings", name="embeddings", status_code=200)
    async def embeddings(request: HttpRequest[Any, Any, Any]) -> Response[bytes]:
        caller = served.callers.identify(bearer(request.headers))
        require(caller, "infer:local")
        body = await request.body()
        asked = read_as(_decode, body)
        ignored = openai_fields.ignored(openai_fields.unknown(body, _KNOWN), _DOCUMENTED)
        model, texts = check_model(rooms, asked.model, caller.name), texts_of(asked.input)
        headers = {"x-nearloop-egress": "none"}
        if ignored:
            headers["x-nearloop-ignored"] = ", ".join(ignored)
        try:
            async with Watch(request.receive):
                found = await embedded(rooms, texts, "input")
        except HungUp:
            return Response(b"", status_code=_CLOSED)
        width = len(found[0].numbers)
        if asked.dimensions not in (None, width):
            raise BadRequest(
                f"these vectors have {width} numbers and lose their meaning when they are cut: leave dimensions out",
                "dimensions",
            )
        written = in_base64 if asked.encoding_format == "base64" else list[float]
        data = [wire.Embedding(place, written(each.numbers)) for place, each in enumerate(found)]
        tokens = sum(each.tokens for each in found)
        answer = wire.EmbeddingList(data, model, wire.EmbeddingUsage(tokens, tokens))
        return Response(_encode(answer), media_type="application/json", headers=headers)

    return [embeddings]


def texts_of(given: str | list[Any]) -> tuple[str, ...]:
    """The texts of an `input`. Raises BadRequest, for tokens too."""
    if isinstance(given, str):
        return (given,)
    if not all(isinstance(each, str) for each in given):
        raise BadRequest(
            "input: tokens are numbers of one tokenizer, and another one reads here: send the text itself"
            " (LangChain: check_embedding_ctx_length=False)",
            "input",
        )
    return tuple(given)


def in_base64(numbers: list[float]) -> str:
    """As 32-bit floats, the lowest byte first."""
    return b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()

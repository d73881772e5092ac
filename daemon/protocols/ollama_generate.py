"""Ollama's completion of one prompt, read and written. The prompt is a user's turn: who wants it raw is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from daemon.errors import BadRequest
from daemon.protocols import ollama_fields
from daemon.protocols.base import Envelope
from daemon.protocols.ollama_fields import pictures
from daemon.protocols.ollama_writing import LineWriter, counted
from daemon.protocols.reading import read_as
from providers import contract
from providers.contract import BadAnswer, Message, Part, Request, Text, ToolCall
from providers.wire import ollama as wire

NAME: Final = "ollama-generate"
PATH: Final = "/api/generate"
AREAS: tuple[str, ...] = ("/api/generate",)

HABITS = ollama_fields.HABITS
field = ollama_fields.field
refusal = ollama_fields.refusal
_decode: Final = msgspec.json.Decoder(wire.GenerateRequest).decode


def read(body: bytes, envelope: Envelope) -> Request:
    """Understand a request. Without a prompt, it wants the model loaded. Raises BadRequest."""
    asked = read_as(_decode, body)
    if asked.raw:
        raise BadRequest("raw: models are asked in their own chat form here, and no other: leave it out", "raw")
    if asked.template:
        raise BadRequest("template: a model's own is used: leave it out", "template")
    if asked.suffix:
        raise BadRequest("suffix: nothing here fills in the middle of a text yet: leave it out", "suffix")
    if asked.context:
        raise BadRequest("context: conversations go on as messages: ask /api/chat", "context")
    said: tuple[Part, ...] = (
        *((Text(asked.prompt),) if asked.prompt else ()),
        *pictures(asked.images, "images"),
    )
    system = (Message("system", (Text(asked.system),)),) if asked.system and said else ()
    messages = (*system, Message("user", said)) if said else ()
    return ollama_fields.request(asked, body, envelope, NAME, messages)


class GenerateWriter(LineWriter):
    """An answer is a text."""

    def _line(
        self,
        text: str = "",
        thought: str = "",
        calls: Sequence[ToolCall] = (),
        logprobs: tuple[contract.Logprob, ...] = (),
        done: str | None = None,
        tally: wire.Tally | None = None,
    ) -> msgspec.Struct:
        if calls:
            raise BadAnswer("the model called a tool, and none was offered: ask again")
        return wire.GenerateAnswer(
            model=self._model,
            created_at=self._created_at,
            response=text,
            thinking=thought or UNSET,
            done=done is not None,
            done_reason=done if done is not None else UNSET,
            logprobs=self._logprobs(logprobs),
            **counted(tally),
        )


def writer(request: Request, envelope: Envelope) -> GenerateWriter:
    """For the answer to one request."""
    return GenerateWriter(request, envelope)

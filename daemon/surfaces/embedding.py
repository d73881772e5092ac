"""Vectors of texts by the shipped encoder, before a protocol gives them its shape."""

from __future__ import annotations

import asyncio
from typing import Final

from msgspec import Struct

from daemon.decision.rules import AUTO, LOCAL
from daemon.errors import BadRequest, UnknownModel
from daemon.pipeline import Rooms
from daemon.signals.missing import readable
from daemon.signals.shipped import EMBEDDER

MAX_TEXTS: Final = 2048
"""OpenAI's own limit."""


class Embedded(Struct, frozen=True):
    """One text's vector, of length 1. tokens: how many the encoder read."""

    numbers: list[float]
    tokens: int


def check_model(rooms: Rooms, model: str, client: str | None) -> str:
    """The encoder's name if that is what a client's model name stands for. Raises UnknownModel."""
    name = rooms.book.stands_for(model, client)
    if name not in (EMBEDDER, f"{LOCAL}/{EMBEDDER}", LOCAL, AUTO):
        raise UnknownModel(
            f"vectors are made by {EMBEDDER}, on this machine: ask for that name, or have yours stand for it"
        )
    return EMBEDDER


async def embedded(rooms: Rooms, texts: tuple[str, ...], parameter: str) -> list[Embedded]:
    """The vectors, in order; long texts are read whole. parameter: the client's field. Raises BadRequest, ModelMissing."""
    if not texts or len(texts) > MAX_TEXTS:
        raise BadRequest(f"{parameter}: between 1 and {MAX_TEXTS} texts in one request", parameter)
    if not all(map(str.strip, texts)):
        raise BadRequest(f"{parameter}: an empty text has no place among others: leave it out", parameter)
    vectors = rooms.observer.parts.vectors

    def one(text: str) -> Embedded:
        return Embedded(vectors.numbers(text), vectors.tokens(text))

    with readable(rooms.observer.parts, "vectors"):
        return [await asyncio.to_thread(one, text) for text in texts]  # one by one: who goes away ends the work

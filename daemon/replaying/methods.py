"""Methods that a curve is made of: who is asked for a question, and whose answer is released.

A method (a selector by some sign of the prompt, a cascade by some sign of its drafts) has settings from cheap to dear.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from daemon.replaying.recordings import Item


class Answered(Struct, frozen=True):
    """Whose answer was released, and who was asked for it."""

    winner: str
    asked: tuple[str, ...]


class Answering(Protocol):
    """Asks for one question."""

    async def __call__(self, item: Item) -> Answered: ...


class Setting(Struct, frozen=True):
    """How a method can be set, and how that is told."""

    name: str
    answer: Answering


class Method(Struct, frozen=True):
    """Settings that decide by the same sign. Models alone are settings of every method."""

    name: str
    settings: tuple[Setting, ...]


def alone(model: str) -> Setting:
    """One model, whatever the question."""

    async def answer(item: Item) -> Answered:
        return Answered(model, (model,))

    return Setting(model, answer)

"""What a format of answers has to be for one of its pieces to be asked for again alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

Fault = Literal["not-there", "counts", "does-not-parse", "unbalanced", "empty"]
"""What is wrong with a piece beyond doubt, whoever wrote it."""
Stands = Callable[[str], bool]
"""Whether a text stands in the conversation, letter by letter."""


class Piece(Struct, frozen=True):
    """One of an answer's. start, end: in its text, without the line end behind it. text: what stands there."""

    start: int
    end: int
    text: str


class Format(Protocol):
    """A way of writing edits or files. name: as a prompt calls one piece."""

    name: str

    def split(self, text: str) -> tuple[Piece, ...]:
        """The pieces in order, none inside another. Empty: the answer is not of this format, or one of them is not whole."""
        ...

    def rewritten(self, text: str) -> tuple[Piece, ...]:
        """The same of an answer that was asked for pieces alone, without what stands around them in a whole one."""
        ...

    def fault(self, piece: str) -> Fault | None:
        """What is wrong with it by itself."""
        ...

    def old(self, piece: str) -> str | None:
        """The text that it replaces, which has to be there already; None: it replaces nothing."""
        ...


def spliced(text: str, pieces: Sequence[Piece], instead: Mapping[int, str]) -> str:
    """The text with some of its pieces replaced, by number. What stands between and in the others stays as it is."""
    parts: list[str] = []
    at = 0
    for number, piece in enumerate(pieces):
        parts += (text[at : piece.start], instead.get(number, piece.text))
        at = piece.end
    return "".join((*parts, text[at:]))

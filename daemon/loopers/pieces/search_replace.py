"""Blocks of SEARCH and REPLACE, as Aider, Cline and others have models write edits."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from daemon.loopers.pieces.base import Fault, Piece

_MARK: Final = re.compile(
    r"^(?:(?P<begin><{5,9} ?SEARCH[^\n]*(?:\n|\Z))|(?P<middle>={5,9}[ \t]*\n)|(?P<end>>{5,9} ?REPLACE[ \t]*$))",
    re.MULTILINE,
)


class _Block(Struct, frozen=True):
    """A block, and where it stands."""

    start: int
    end: int
    old: str
    new: str


class SearchReplace:
    """The format."""

    name = "SEARCH/REPLACE block"

    def split(self, text: str) -> tuple[Piece, ...]:
        """Each block from its first mark to its last; none, if one of them was not ended."""
        return tuple(Piece(block.start, block.end, text[block.start : block.end]) for block in _blocks(text))

    def rewritten(self, text: str) -> tuple[Piece, ...]:
        """They stand by themselves."""
        return self.split(text)

    def fault(self, piece: str) -> Fault | None:
        """A block that changes nothing is none."""
        block = _only(piece)
        return "empty" if block is None or block.old == block.new else None

    def old(self, piece: str) -> str | None:
        """What is searched for; nothing, for a new file."""
        block = _only(piece)
        return (block.old.rstrip("\n") if block else None) or None


def _blocks(text: str) -> tuple[_Block, ...]:
    """All of them in one pass, however many marks there are; none, if one that began was not ended."""
    found: list[_Block] = []
    begin: re.Match[str] | None = None
    middle: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if mark.lastgroup == "begin":
            if begin is not None:
                return ()
            begin = mark
        elif mark.lastgroup == "middle" and begin is not None:
            middle = middle or mark
        elif mark.lastgroup == "end" and begin is not None and middle is not None:
            old, new = text[begin.end() : middle.start()], text[middle.end() : mark.start()]
            found.append(_Block(begin.start(), mark.end(), old, new))
            begin = middle = None
    return tuple(found) if begin is None else ()


def _only(piece: str) -> _Block | None:
    """A piece as a block, if it is one and nothing else."""
    blocks = _blocks(piece)
    return blocks[0] if len(blocks) == 1 and (blocks[0].start, blocks[0].end) == (0, len(piece)) else None

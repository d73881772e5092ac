"""Blocks of SEARCH and REPLACE, as Aider, Cline and others have models write edits."""

from __future__ import annotations

import re
from typing import Final

from daemon.loopers.pieces.base import Fault, Piece

_BLOCK: Final = re.compile(
    r"^<{5,9} ?SEARCH[^\n]*\n(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^>{5,9} ?REPLACE[ \t]*$", re.DOTALL | re.MULTILINE
)
_BEGINS: Final = re.compile(r"^<{5,9} ?SEARCH", re.MULTILINE)


class SearchReplace:
    """The format."""

    name = "SEARCH/REPLACE block"

    def split(self, text: str) -> tuple[Piece, ...]:
        """Each block from its first mark to its last; none, if one of them was not ended."""
        found = tuple(Piece(each.start(), each.end(), each[0]) for each in _BLOCK.finditer(text))
        return found if len(found) == len(_BEGINS.findall(text)) else ()

    def rewritten(self, text: str) -> tuple[Piece, ...]:
        """They stand by themselves."""
        return self.split(text)

    def fault(self, piece: str) -> Fault | None:
        """A block that changes nothing is none."""
        block = _BLOCK.fullmatch(piece)
        return "empty" if block is None or block["old"] == block["new"] else None

    def old(self, piece: str) -> str | None:
        """What is searched for; nothing, for a new file."""
        block = _BLOCK.fullmatch(piece)
        return (block["old"].rstrip("\n") if block else None) or None

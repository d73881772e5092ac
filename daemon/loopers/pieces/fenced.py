"""Files or programs in fences, several in one answer."""

from __future__ import annotations

import re
from typing import Final

from daemon.confidence.features import valid
from daemon.loopers.pieces.base import Fault, Piece

_FENCED: Final = re.compile(
    r"^(?P<fence>`{3,9})(?P<tag>[\w+-]*)[^\n`]*\n(?P<code>.*?)^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE
)
_FENCE: Final = re.compile(r"^`{3,9}", re.MULTILINE)
_IN_BRACES: Final = frozenset(
    {"c", "c++", "cpp", "cs", "csharp", "css", "go", "java", "javascript", "js", "jsx", "kotlin", "php", "rust", "rs"}
    | {"scala", "swift", "ts", "tsx", "typescript"}
)
_NO_CODE: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|`(?:\\.|[^`\\])*`|(?<!\w)\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
_PAIRS: Final = {"}": "{", "]": "[", ")": "("}


class Fenced:
    """The format."""

    name = "fenced block"

    def split(self, text: str) -> tuple[Piece, ...]:
        """Each block with its fences; none, if a fence has no partner."""
        found = tuple(Piece(each.start(), each.end(), each[0]) for each in _FENCED.finditer(text))
        inside = sum(len(_FENCE.findall(each.text)) for each in found)
        return found if inside == len(_FENCE.findall(text)) else ()

    def rewritten(self, text: str) -> tuple[Piece, ...]:
        """They stand by themselves."""
        return self.split(text)

    def fault(self, piece: str) -> Fault | None:
        """Python and JSON have to parse; languages with braces have to close what they open."""
        block = _FENCED.fullmatch(piece)
        if block is None or not block["code"].strip():
            return "empty"
        if valid(piece, None) is False:
            return "does-not-parse"
        return "unbalanced" if block["tag"].casefold() in _IN_BRACES and not _balanced(block["code"]) else None

    def old(self, piece: str) -> str | None:
        """It replaces nothing that could be looked for."""
        return None


def _balanced(code: str) -> bool:
    opened: list[str] = []
    for sign in _NO_CODE.sub("", code):
        if sign in "{[(":
            opened.append(sign)
        elif sign in _PAIRS and (not opened or opened.pop() != _PAIRS[sign]):
            return False
    return not opened

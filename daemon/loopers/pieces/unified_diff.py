"""Hunks of a unified diff."""

from __future__ import annotations

import re
from typing import Final

from daemon.loopers.pieces.base import Fault, Piece

_HEADER: Final = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_FILE: Final = re.compile(r"^--- [^\n]*\n\+\+\+ ", re.MULTILINE)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_OF_A_HUNK: Final = (" ", "+", "-", "\\")


class UnifiedDiff:
    """The format."""

    name = "hunk of a unified diff"

    def split(self, text: str) -> tuple[Piece, ...]:
        """Each hunk from its header to its last line; none, without the names of a file in front."""
        return self.rewritten(text) if _FILE.search(text) else ()

    def rewritten(self, text: str) -> tuple[Piece, ...]:
        """The hunks alone, with or without names of files."""
        files = {found.start() for found in _FILE.finditer(text)}
        pieces: list[Piece] = []
        start: int | None = None
        at = end = 0
        for line in _LINE.findall(text):
            inside = start is not None and at not in files and (line[0] in _OF_A_HUNK or line == "\n")
            if start is not None and not inside:
                pieces.append(Piece(start, end, text[start:end]))
                start = None
            if _HEADER.match(line):
                start = at
            at += len(line)
            if start is not None and line != "\n":  # blank lines at its end are not the hunk's
                end = at - len(line) + len(line.rstrip("\r\n"))
        if start is not None:
            pieces.append(Piece(start, end, text[start:end]))
        return tuple(pieces)

    def fault(self, piece: str) -> Fault | None:
        """The header counts its lines, and at least one of them changes something."""
        header = _HEADER.match(piece)
        old, new = _sides(piece)
        if header is None or (len(old), len(new)) != (int(header["old"] or 1), int(header["new"] or 1)):
            return "counts"
        return "empty" if old == new else None

    def old(self, piece: str) -> str | None:
        """The lines that stay or go."""
        return "\n".join(_sides(piece)[0]) or None


def _sides(piece: str) -> tuple[list[str], list[str]]:
    lines = [line.rstrip("\r") or " " for line in piece.split("\n")[1:]]
    old = [line[1:] for line in lines if line[0] in " -"]
    new = [line[1:] for line in lines if line[0] in " +"]
    return old, new

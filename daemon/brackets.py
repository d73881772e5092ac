"""Whether a JSON text that comes in pieces is closed: each bracket that was opened, outside of strings."""

from __future__ import annotations

import re
from typing import Final

_MARKS: Final = re.compile(r'["\\{}\[\]]')


class Brackets:
    """Of one text. closed: they are, since at least one was opened."""

    def __init__(self) -> None:
        self.closed = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def take(self, piece: str) -> None:
        """One more piece, each character of which is looked at once."""
        if not piece:
            return
        skip_to = 1 if self._escaped else 0
        for found in _MARKS.finditer(piece):
            if found.start() < skip_to:
                continue
            mark = found[0]
            if self._in_string:
                if mark == "\\":
                    skip_to = found.end() + 1
                elif mark == '"':
                    self._in_string = False
            elif mark == '"':
                self._in_string = True
            elif mark in "{[":
                self._depth += 1
            elif mark in "}]":
                self._depth -= 1
                self.closed = self._depth == 0
        self._escaped = skip_to > len(piece)

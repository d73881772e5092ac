"""Whether a masked text still serves: it comes back word for word, its code parses, and what is written against it fits."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from difflib import unified_diff
from typing import Final

from msgspec import Struct

from daemon.leakage.corridor import Crossing
from daemon.leakage.rows import Row

EDITS: Final = 6
"""Places of a text at which an edit is tried: those that were altered first."""


class Use(Struct, frozen=True):
    """What was tried with one text that left. None: there was nothing to try."""

    restored: bool
    parses: bool | None
    edits: int
    edits_that_fit: int

    @property
    def serves(self) -> bool:
        """Whether all of it worked."""
        return self.restored and self.parses is not False and self.edits == self.edits_that_fit


def use_of(row: Row, crossing: Crossing) -> Use:
    """Try it: an echo of the text, its parser, and at some lines a search-and-replace edit and a diff."""
    tried = fit = 0
    before, after = row.text.split("\n"), crossing.masked.split("\n")
    for at in _lines(before, after):
        tried += 2
        fit += _replaces(before, after, at, crossing) + _applies(before, after, at, crossing)
    return Use(_comes_back(row, crossing), _still_parses(row, crossing.masked), tried, fit)


def _comes_back(row: Row, crossing: Crossing) -> bool:
    return crossing.back(crossing.masked) == row.text


def _python(text: str) -> object:
    return len(list(ast.walk(ast.parse(text))))


def _json(text: str) -> object:
    return type(json.loads(text))


_PARSERS: Final[dict[str, Callable[[str], object]]] = {"python": _python, "json": _json}
"""What a parser says of a text; masked, it has to say the same."""


def _still_parses(row: Row, masked: str) -> bool | None:
    parse = _PARSERS.get(row.code)
    if parse is None:
        return None
    try:
        was = parse(row.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    try:
        return parse(masked) == was
    except (SyntaxError, ValueError, RecursionError):
        return False


def _lines(before: list[str], after: list[str]) -> list[int]:
    """Where to edit; one place only if the masked text has other lines, which then has to fail."""
    if len(before) != len(after):
        return [0]
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    return (changed or list(range(len(before))))[:EDITS]


def _replaces(before: list[str], after: list[str], at: int, crossing: Crossing) -> bool:
    """Whether a block to search for, quoted from the masked text, is found in the original at the same lines."""
    return crossing.back("\n".join(after[at : at + 3])) == "\n".join(before[at : at + 3])


def _applies(before: list[str], after: list[str], at: int, crossing: Crossing) -> bool:
    """Whether a diff against the masked text, turned back, patches the original as it would have patched that."""
    edited = [*after[:at], "# a new line", *after[at:]]
    diff = crossing.back("\n".join(unified_diff(after, edited, n=2, lineterm="")))
    return _patched(before, diff.split("\n")) == [*before[:at], "# a new line", *before[at:]]


def _patched(lines: list[str], diff: list[str]) -> list[str] | None:
    """The lines with a diff of one hunk applied; None if it doesn't fit."""
    head = next((at for at, line in enumerate(diff) if line.startswith("@@")), None)
    if head is None:
        return None
    first = int(diff[head].split()[1].split(",")[0].removeprefix("-"))
    hunk = diff[head + 1 :]
    old = [line[1:] for line in hunk if line[:1] in (" ", "-")]
    new = [line[1:] for line in hunk if line[:1] in (" ", "+")]
    start = max(first - 1, 0)
    if lines[start : start + len(old)] != old:
        return None
    return [*lines[:start], *new, *lines[start + len(old) :]]

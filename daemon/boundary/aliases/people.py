"""Aliases of names: of persons, of organisations, and of what a user calls by a word of their own."""

from __future__ import annotations

import re
from typing import Final

from daemon.boundary.aliases.base import MAX_CHARS, Roll
from daemon.boundary.aliases.words import WORD, like

_MARKS: Final = re.compile(r"[^\w]+|_+")
_KEPT: Final = frozenset(" -'.’_/·・")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")
"""The words of an identifier: `HTTPServerPort2` has four."""


def name(value: str, roll: Roll) -> str:
    """A word for each word, marks between them kept; of a name that is too long, the first and the last."""
    words = WORD.findall(value)
    if not words:
        return like("x", roll)
    made = [like(each, roll) for each in words]
    laid_out = _laid_out(value, made)
    if len(laid_out) <= MAX_CHARS:
        return laid_out
    return f"{made[0]} {made[-1]}"


def _laid_out(value: str, made: list[str]) -> str:
    marks = WORD.split(value)
    between = ["".join(mark for mark in each if mark in _KEPT)[:2] or " " for each in marks[1:-1]]
    return "".join(part for pair in zip(made, [*between, ""], strict=True) for part in pair)


def identifier(value: str, roll: Roll) -> str:
    """A word for each word of snake_case, camelCase, kebab-case or a dotted name; of a long one, the first two."""
    out: list[str] = []
    at = 0
    for hump in _HUMPS.finditer(value):
        marks = "".join(mark for mark in value[at : hump.start()] if mark in "._-/ ")[:1] if out else ""
        made = str(10 + roll(hump[0]).below(90)) if hump[0].isdigit() else like(hump[0], roll)
        if len("".join(out)) + len(marks) + len(made) > MAX_CHARS:
            break
        out += (marks, made)
        at = hump.end()
    return "".join(out) if any(map(str.isalpha, "".join(out))) else like("x", roll)


def parts(value: str, alias: str, pieces: re.Pattern[str]) -> tuple[tuple[str, str], ...]:
    """Which words of an alias stand for which of the value, if it has one for each."""
    ours, theirs = pieces.findall(alias), pieces.findall(value)
    if len(ours) != len(theirs) or len(ours) < 2:
        return ()
    return tuple((one, other) for one, other in zip(ours, theirs, strict=True) if one.isalpha())


WORDS: Final = WORD
HUMPS: Final = _HUMPS

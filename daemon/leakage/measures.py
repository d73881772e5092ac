"""How much of marked values arrived, and how much else was lost: counts, shares and their intervals.

A value has leaked whole (`exact`) if it arrived as it is, in part (`partial`) if four characters of it in a row did, and in
part net of harmless words (`net`) if those four don't also stand in what is harmless of the same text. That is the
measure of arXiv:2604.12064, of which `net` is a stricter reading.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from math import sqrt
from typing import Final

from msgspec import Struct

from daemon.leakage.rows import Row
from daemon.signals.unspaced import LETTERS

RUN: Final = 4
"""Characters in a row that count as a part."""
_WORD: Final = re.compile(rf"[{LETTERS}]|(?:(?![{LETTERS}])\w)+")
"""Scripts without blanks between words count by letters."""
_Z: Final = 1.959964
"""Of a normal distribution, for 95 %."""


class Share(Struct, frozen=True):
    """`hits` of `n`, and the 95 % interval of what that share stands for (Wilson)."""

    hits: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """0 of nothing is 0."""
        return self.hits / self.n if self.n else 0.0


def share_of(hits: int, n: int) -> Share:
    """Wilson's interval, E. B. Wilson 1927: also right for few, and for none."""
    if not n:
        return Share(hits, n, 0.0, 1.0)
    p = hits / n
    middle = (p + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z / (1 + _Z * _Z / n) * sqrt(p * (1 - p) / n + _Z * _Z / (4 * n * n))
    return Share(hits, n, max(0.0, middle - half), min(1.0, middle + half))


class Leaks(Struct):
    """Counts of values."""

    values: int = 0
    exact: int = 0
    partial: int = 0
    net: int = 0


class Words(Struct):
    """Counts of words that are nobody's own."""

    all: int = 0
    lost: int = 0


def leaks_of(row: Row, arrived: str) -> list[Leaks]:
    """What of each value of a text arrived, in their order; nothing of it if nothing arrived."""
    harmless = runs(harmless_of(row))
    came = runs(arrived)
    found = []
    for value in row.values:
        exact = value.text in arrived
        own = runs(value.text)
        partial = not exact and bool(own & came)
        net = not exact and bool((own - harmless) & came)
        found.append(Leaks(1, int(exact), int(partial), int(net)))
    return found


def words_of(row: Row, arrived: str) -> Words:
    """How many harmless words a text has, and how many of them did not arrive."""
    need, have = Counter(_WORD.findall(harmless_of(row))), Counter(_WORD.findall(arrived))
    return Words(need.total(), (need - have).total())


def harmless_of(row: Row) -> str:
    """A text with blanks where its values stand."""
    rest = list(row.text)
    for value in row.values:
        rest[value.start : value.end] = " " * (value.end - value.start)
    return "".join(rest)


def runs(text: str) -> set[str]:
    """All runs of RUN characters."""
    return {text[at : at + RUN] for at in range(len(text) - RUN + 1)}


def altered_lines(text: str, masked: str) -> int:
    """How many lines of a text are not the same any more."""
    before, after = text.split("\n"), masked.split("\n")
    if len(before) == len(after):
        return sum(one != other for one, other in zip(before, after, strict=True))
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return sum(end - start for kind, start, end, _, _ in changes if kind != "equal")

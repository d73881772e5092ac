"""Whether any of some tools fits what was asked: the features of that question, and a line through them.

Pure numbers: how like the request is to each tool, as an encoder of sentences has it, and which words they share. A request
is like many tools a little; what tells is how much nearer the nearest one is, and whether its own words were said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMON_WORDS: Final = """
    a about all also am an and any are as at based be been but by can could did do does for from get give given has have help
    her his how i if in into is it its just like make me my need not of on or our out please provide should so some tell
    than that the their them then there these they this those to up us use used user using want was we were what when where
    which who why will with would you your
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())


class Offered(Struct, frozen=True):
    """A tool, as its words tell of it. parameters: their names."""

    name: str
    description: str
    parameters: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """What an encoder reads of it."""
        name = " ".join(_PARTS.findall(self.name)).lower()
        return f"{name}: {self.description}" if self.description else name


class Column(Struct, frozen=True):
    """A feature's part: weight * (value - centre) / spread."""

    name: str
    weight: float
    centre: float
    spread: float


class Gate(Struct, frozen=True):
    """A logistic regression over `features`. threshold: the probability from which on none is said to fit."""

    columns: tuple[Column, ...]
    start: float
    threshold: float

    def none_fits(self, seen: dict[str, float]) -> float:
        """The probability that none does."""
        total = self.start + sum(
            column.weight * (seen[column.name] - column.centre) / column.spread for column in self.columns
        )
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))


decode_gate: Final = msgspec.json.Decoder(Gate).decode


def features(asked: str, likenesses: Sequence[float], tools: Sequence[Offered]) -> dict[str, float]:
    """What is seen of a request and the tools for it. likenesses: to each of them, cosines; at least one.

    best: of the nearest tool; ahead: how far it is before the next, over: before the mean of the others; 0 for an only
    tool. name, words: of the nearest, the share of its name's words that were said, and the share of what was said that its
    words hold; name_any, words_any: the most of any tool. many: the log of their number.
    """
    order = sorted(range(len(tools)), key=lambda place: -likenesses[place])
    best = likenesses[order[0]]
    others = [likenesses[place] for place in order[1:]]
    said = words(asked)
    names = [_share(words(tool.name), said) for tool in tools]
    held = [_share(said, words(" ".join((tool.name, tool.description, *tool.parameters)))) for tool in tools]
    return {
        "best": best,
        "ahead": best - others[0] if others else 0.0,
        "over": best - math.fsum(others) / len(others) if others else 0.0,
        "name": names[order[0]],
        "words": held[order[0]],
        "name_any": max(names),
        "words_any": max(held),
        "many": math.log(len(tools)),
    }


def words(text: str) -> frozenset[str]:
    """Those that carry meaning, without most of their endings."""
    return frozenset(_bare(word) for part in _PARTS.findall(text) if (word := part.lower()) not in _COMMON)


def _bare(word: str) -> str:
    if word.endswith("ies") and len(word) > 5:
        return f"{word[:-3]}y"
    for ending in ("ations", "ation", "ings", "ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(part) if part else 0.0

"""Features weighed into one score: the log-odds that an answer is right, before calibration.

Weights are learned from recordings (`certifying/scorer_fit.py`). What an engine doesn't tell counts as average, so that one
form serves engines with and without alternatives; their weights are learned apart all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from daemon.confidence.families import FAMILIES, Family
from daemon.confidence.features import Features

SELF_CHECK: Final = "self_check"
"""The one feature that has to be asked for."""
COLUMNS: Final[dict[str, Callable[[Features], float | None]]] = {
    "mean": lambda seen: seen.mean,
    "minimum": lambda seen: seen.minimum,
    "q10": lambda seen: seen.q10,
    "q25": lambda seen: seen.q25,
    "window": lambda seen: seen.window,
    "tail": lambda seen: seen.tail,
    "uncertain": lambda seen: seen.uncertain,
    "tokens": lambda seen: math.log1p(seen.tokens),
    "answer_mean": lambda seen: seen.answer_mean,
    "answer_minimum": lambda seen: seen.answer_minimum,
    "answer_q10": lambda seen: seen.answer_q10,
    "answer_first": lambda seen: seen.answer_first,
    "answer_uncertain": lambda seen: seen.answer_uncertain,
    "answer_tokens": lambda seen: math.log1p(seen.answer_tokens),
    "hedges": lambda seen: float(seen.hedges > 0),
    "refuses": lambda seen: float(seen.refuses),
    "repetition": lambda seen: seen.repetition,
    "ended": lambda seen: None if seen.ended is None else float(seen.ended),
    "valid": lambda seen: None if seen.valid is None else float(seen.valid),
    "margin": lambda seen: seen.margin,
    "margin_minimum": lambda seen: seen.margin_minimum,
    "entropy": lambda seen: seen.entropy,
    "entropy_q90": lambda seen: seen.entropy_q90,
    SELF_CHECK: lambda seen: seen.self_check,
}
"""A name, and its number in a generation; None where it isn't known."""

DIRECTIONS: Final[dict[str, int]] = {
    "mean": 1,
    "minimum": 1,
    "q10": 1,
    "q25": 1,
    "window": 1,
    "tail": 1,
    "uncertain": -1,
    "tokens": -1,
    "answer_mean": 1,
    "answer_minimum": 1,
    "answer_q10": 1,
    "answer_first": 1,
    "answer_uncertain": -1,
    "answer_tokens": -1,
    "hedges": -1,
    "refuses": -1,
    "repetition": -1,
    "ended": 1,
    "valid": 1,
    "margin": 1,
    "margin_minimum": 1,
    "entropy": -1,
    "entropy_q90": -1,
    SELF_CHECK: 1,
}
"""Whether more of it speaks for an answer or against it. A weight that says otherwise has learned sets, not the model."""


class Column(Struct, frozen=True):
    """A feature's part in the score: weight * (value - centre) / spread."""

    name: str
    weight: float
    centre: float
    spread: Annotated[float, Meta(gt=0)]


class Scorer(Struct, frozen=True):
    """columns: in any order. families: what each family starts with; those that were never seen start with `start`."""

    columns: tuple[Column, ...]
    families: dict[str, float]
    start: float

    @property
    def asks(self) -> bool:
        """Whether the model's word on its own answer counts."""
        return any(column.name == SELF_CHECK for column in self.columns)

    def unasked(self) -> Scorer:
        """The same without the model's word: for answers of which it was never asked."""
        return replace(self, columns=tuple(column for column in self.columns if column.name != SELF_CHECK))

    def score(self, seen: Features, family: Family) -> float:
        """Log-odds."""
        total = self.families.get(family, self.start)
        for column in self.columns:
            value = COLUMNS[column.name](seen)
            if value is not None:
                total += column.weight * (value - column.centre) / column.spread
        return total


def row_of(seen: Features, family: Family) -> tuple[list[float | None], list[float]]:
    """The numbers of COLUMNS in their order, and 1 for the family among FAMILIES."""
    return [make(seen) for make in COLUMNS.values()], [float(each == family) for each in FAMILIES]

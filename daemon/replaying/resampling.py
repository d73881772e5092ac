"""A bootstrap over questions: the same questions, drawn again and again, for all figures that are told together.

Every figure is a function of means over questions, so its interval is that function of the means of each draw, and figures
of the same questions are compared within each draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[np.float64]
RESAMPLES: Final = 2000
_AT_ONCE: Final = 100


class Span(Struct, frozen=True):
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


class Draws:
    """How often each question is in each draw; the first one has each once."""

    def __init__(self, questions: int, seed: int, resamples: int = RESAMPLES) -> None:
        draw = np.random.default_rng(seed)
        self._times = np.ones((1 + resamples, questions), dtype=np.uint16)
        for row in self._times[1:]:
            row[:] = np.bincount(draw.integers(questions, size=questions), minlength=questions)

    def means(self, *columns: Sequence[float]) -> list[Array]:
        """Of each column, a number for each question: its mean as it is, and those of each draw."""
        values: Array = np.asarray(columns, dtype=np.float64).T
        places = range(0, len(self._times), _AT_ONCE)
        found: list[Array] = [self._times[place : place + _AT_ONCE] @ values / len(values) for place in places]
        return list(np.concatenate(found).T)


def span(figures: Array) -> Span | None:
    """Of a figure as it is and in each draw. None if it has no value; draws in which it has none don't count."""
    value, *drawn = figures.tolist()
    known = [each for each in drawn if not isnan(each)]
    if isnan(value) or not known:
        return None
    low, high = np.quantile(known, (0.025, 0.975))
    return Span(value, float(low), float(high))

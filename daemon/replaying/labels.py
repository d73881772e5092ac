"""Places for small print in a picture, out of the way of what is drawn there already."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

_CHAR: Final = 6.6
"""Of small print, about."""
_LINE: Final = 15
_FAR: Final = 40
"""How much of a line may be covered so as to be a pixel nearer."""
_HIDES: Final = 10
"""How much worse it is to cover a mark or a word than a line."""


class _Box(Struct, frozen=True):
    """weight: how bad it is to cover it."""

    left: float
    top: float
    right: float
    bottom: float
    weight: float = 1

    def covered(self, by: _Box) -> float:
        wide = min(self.right, by.right) - max(self.left, by.left)
        high = min(self.bottom, by.bottom) - max(self.top, by.top)
        return self.weight * max(0.0, wide) * max(0.0, high)


class Labels:
    """Of a field with these edges."""

    def __init__(self, left: float, right: float, bottom: float) -> None:
        self._left, self._right, self._bottom = left, right, bottom
        self._taken: list[_Box] = []

    def mark(self, x: float, y: float, bar: tuple[float, float] | None = None) -> None:
        """Something is drawn here. bar: its lower and upper end."""
        self._taken.append(_Box(x - 6, y - 6, x + 6, y + 6, _HIDES))
        if bar is not None:
            self._taken.append(_Box(x - 2, bar[1], x + 2, bar[0]))

    def line(self, spots: Sequence[tuple[float, float]]) -> None:
        """A line is drawn through these."""
        for (x, y), (to_x, to_y) in pairwise(spots):
            steps = max(1, round(math.hypot(to_x - x, to_y - y) / 6))
            for step in range(steps + 1):
                at_x, at_y = x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
                self._taken.append(_Box(at_x - 3, at_y - 3, at_x + 3, at_y + 3))

    def place(self, x: float, y: float, text: str) -> tuple[float, float]:
        """Where a point's name begins, beside it: where it covers least, and near, so that nobody takes it for another's."""
        wide = len(text) * _CHAR
        lefts = (x + 11, x - 11 - wide, x - wide / 2)
        spots = [(left, y + step) for step in (5, -13, 22, -29, 38, -45, 54) for left in lefts]
        inside = [spot for spot in spots if self._holds(spot[0], spot[1], wide)] or spots
        left, base = min(
            inside, key=lambda spot: self._covered(_word(spot[0], spot[1], wide)) + _FAR * abs(spot[1] - y - 5)
        )
        self._taken.append(_word(left, base, wide))
        return left, base

    def _holds(self, left: float, base: float, wide: float) -> bool:
        return left >= self._left and left + wide <= self._right and base < self._bottom

    def _covered(self, by: _Box) -> float:
        return sum(each.covered(by) for each in self._taken)


def _word(left: float, base: float, wide: float) -> _Box:
    return _Box(left, base - _LINE + 3, left + wide, base + 3, _HIDES)

"""Likenesses of the multilingual encoder on the scale of the English one.

Two encoders put the same two texts at other distances: of requests about other things the English one's cosines lie about
0.1, the multilingual one's elsewhere, and a translation is no 1. A monotone line through points of equal rank, measured on
requests that exist in seven languages (`edge_models.training.parallel`), turns one into the other: as many pairs lie over a
likeness in English as lie over its counterpart between English and another language.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from edge_models.engines.base import Unavailable

FILE: Final = "likeness.json"


class Scale(Struct, frozen=True):
    """Points (multilingual, English), both rising."""

    points: Annotated[tuple[tuple[float, float], ...], Meta(min_length=2)]

    def english(self, likeness: float) -> float:
        """A likeness of the multilingual encoder as the English one's; beyond the ends straight on, to no more than 1."""
        place = min(max(bisect_right(self.points, (likeness, 2.0)), 1), len(self.points) - 1)
        (left, low), (right, high) = self.points[place - 1 : place + 1]
        return max(-1.0, min(1.0, low + (likeness - left) * (high - low) / (right - left)))


_scale: Final = msgspec.json.Decoder(Scale)


def read_scale(directory: Path) -> Scale:
    """likeness.json of a directory whose hashes were checked. Raises Unavailable."""
    try:
        return _scale.decode((directory / FILE).read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        raise Unavailable("the multilingual models lack their scale of likeness: install Nearloop again") from error

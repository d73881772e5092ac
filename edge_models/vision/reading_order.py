"""Lines as found, in the order in which a person reads them.

A picture may be held a little askew: rows are found after turning it back by the angle that most lines have. Boxes side by
side make one line of text where the gap between them is no wider than a few letters, so that a label and its value stand
together; wider ones are columns, whose lines stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from edge_models.pooling import Floats
from edge_models.vision.reader import Words
from edge_models.vision.seen import Box, SeenLine

_BESIDE: Final = 2.5
"""How wide a gap within a line may be, in heights of the line."""
_SAME_ROW: Final = 0.5
"""How far apart the middles of boxes of one row are at most, in heights of the lower one."""


class _Placed:
    """A line in the turned picture. top of the coordinates: as in pictures, y grows downwards."""

    def __init__(self, words: Words, cosine: float, sine: float) -> None:
        self.words = words
        x, y = words.box[:, 0], words.box[:, 1]
        across, down = x * cosine + y * sine, y * cosine - x * sine
        self.left, self.right = float(across.min()), float(across.max())
        self.middle = float(down.mean())
        self.height = max(float(down[2:].mean() - down[:2].mean()), 1.0)


def in_order(found: Sequence[Words], page: int = 0, start: int = 0) -> tuple[str, tuple[SeenLine, ...]]:
    """The text, and where its lines stand. start: where in a longer text this one begins."""
    if not found:
        return "", ()
    angle = _angle(found)
    rows = _rows([_Placed(words, float(np.cos(angle)), float(np.sin(angle))) for words in found])
    pieces: list[str] = []
    lines = []
    for row in rows:
        before: _Placed | None = None
        for placed in row:
            if pieces:
                beside = before is not None and placed.left - before.right <= _BESIDE * max(
                    placed.height, before.height
                )
                pieces.append(" " if beside else "\n")
                start += 1
            text = placed.words.text
            pieces.append(text)
            lines.append(
                SeenLine(start, start + len(text), corners(placed.words.box), round(placed.words.sure, 3), page)
            )
            start += len(text)
            before = placed
    return "".join(pieces), tuple(lines)


def corners(box: Floats) -> Box:
    """As plain numbers."""
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in box)
    return a, b, c, d


def _angle(found: Sequence[Words]) -> float:
    """In radians, of the median line; long ones count more."""
    sides = np.array([words.box[1] - words.box[0] for words in found])
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    angles = np.arctan2(sides[:, 1], sides[:, 0])
    order = np.argsort(angles)
    reached = np.cumsum(lengths[order])
    return float(angles[order][np.searchsorted(reached, reached[-1] / 2)])


def _rows(placed: list[_Placed]) -> list[list[_Placed]]:
    """From top to bottom, each from left to right."""
    rows: list[list[_Placed]] = []
    for each in sorted(placed, key=lambda one: one.middle):
        row = rows[-1] if rows else None
        if row and each.middle - row[0].middle <= _SAME_ROW * min(each.height, row[0].height):
            row.append(each)
        else:
            rows.append([each])
    return [sorted(row, key=lambda one: one.left) for row in rows]

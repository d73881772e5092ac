"""Bars and plots, drawn with characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_RISING: Final = " ▁▂▃▄▅▆▇█"


def bar(fraction: float, width: int) -> str:
    """A bar over `width` cells; what is more than nothing shows at least an eighth of a cell."""
    eighths = round(max(0.0, min(1.0, fraction)) * width * 8)
    if fraction > 0:
        eighths = max(1, eighths)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(width)


def meter(fraction: float, cells: int = 5) -> str:
    """A share in few cells: `▰▰▰▱▱`."""
    full = round(max(0.0, min(1.0, fraction)) * cells)
    return "▰" * full + "▱" * (cells - full)


def scale(fraction: float, mark: float | None, width: int) -> str:
    """A bar on a line, with a stroke at `mark`: `━━━━━━─┃──`."""
    full = round(max(0.0, min(1.0, fraction)) * width)
    cells = ["━"] * full + ["─"] * (width - full)
    if mark is not None:
        cells[min(width - 1, round(max(0.0, min(1.0, mark)) * width))] = "┃"
    return "".join(cells)


def span(begin: float, end: float, whole: float, width: int) -> str:
    """A stretch of a time line: spaces, then blocks; never less than one cell."""
    if whole <= 0:
        return " " * width
    first = max(0, min(width - 1, int(begin / whole * width)))
    last = max(first + 1, min(width, round(end / whole * width)))
    return " " * first + "█" * (last - first) + " " * (width - last)


class Shade(NamedTuple):
    """A cell of a plot: a block, in the lower values' colour or the upper ones', on nothing or on the upper ones' colour."""

    block: str
    lower: bool = False
    on_upper: bool = False


def columns(lower: Sequence[float | None], upper: Sequence[float | None], height: int, top: float) -> list[list[Shade]]:
    """A column for each value, the upper standing on the lower one; rows of cells, the top one first. None leaves a gap."""
    lows = [_eighths(value, top, height) for value in lower]
    highs = [_eighths(value, top, height) for value in upper]
    rows = []
    for row in range(height):
        below = 8 * (height - 1 - row)
        rows.append([_shade(low - below, high - below) for low, high in zip(lows, highs, strict=True)])
    return rows


def _eighths(value: float | None, top: float, height: int) -> int:
    if value is None or value <= 0 or top <= 0:
        return 0
    return max(1, round(min(1.0, value / top) * 8 * height))


def _shade(low: int, high: int) -> Shade:
    low, high = max(0, min(8, low)), max(0, min(8, high))
    if high == 8 and 0 < low < 8:
        return Shade(_RISING[low], lower=True, on_upper=True)
    return Shade(
        _RISING[max(low, high)], lower=2 * low >= high and low > 0
    )  # both end in this cell: who has more of it

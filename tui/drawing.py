"""Bars and plots, drawn with characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_RISING: Final = " ▁▂▃▄▅▆▇█"
_BRAILLE: Final = 0x2800
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""By row and column, as Unicode numbers the dots of a Braille cell."""


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


class Dot(NamedTuple):
    """A cell of a curve: `curve`, the `line` across, a `mark`, or nothing."""

    sign: str
    what: Literal["", "curve", "line", "mark"] = ""


def curve(
    values: Sequence[float], width: int, height: int, line: float | None, marks: Sequence[tuple[float, float]]
) -> list[list[Dot]]:
    """Values from 0 to 1 as one line of dots, 2 by 4 in a cell; rows of cells, the top one first.

    Of more values than dots the least of neighbours. line: a height that is drawn across where the curve leaves room.
    marks: at a share of the width, and a height.
    """
    dots = [[0] * width for _ in range(height)]
    before: int | None = None
    for x, value in enumerate(_stretched(values, 2 * width)):
        y = _down(value, 4 * height)
        for each in range(y, y + 1) if before is None else range(min(before, y), max(before, y) + 1):
            dots[each // 4][x // 2] |= _DOTS[each % 4][x % 2]
        before = y
    rows = [[Dot(chr(_BRAILLE + bits), "curve") if bits else Dot(" ") for bits in row] for row in dots]
    if line is not None:
        across = rows[_down(line, height)]
        across[:] = [cell if cell.what else Dot("┄", "line") for cell in across]
    for share, value in marks:
        rows[_down(value, height)][min(width - 1, int(share * width))] = Dot("●", "mark")
    return rows


def _stretched(values: Sequence[float], places: int) -> list[float]:
    """As many as there are places: the least of those that share one, or one over several."""
    count = len(values)
    ends = [
        (place * count // places, max(place * count // places + 1, -(-(place + 1) * count // places)))
        for place in range(places)
    ]
    return [min(values[begin:end]) for begin, end in ends]


def _down(value: float, rows: int) -> int:
    """From the top, of so many rows."""
    return min(rows - 1, int((1 - max(0.0, min(1.0, value))) * rows))


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

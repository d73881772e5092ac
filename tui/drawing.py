"""Bars and curves, drawn with characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_DOTS: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""Braille's dots of the left and the right column, from below (Unicode 16, chapter 21.1)."""
_BRAILLE: Final = 0x2800


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


def curve(values: Sequence[float | None], width: int, height: int, top: float) -> list[str]:
    """Filled columns in Braille, the top line first; None leaves a gap. Two values share a cell, the newest stands right."""
    shown = values[-2 * width :]
    gaps: list[float | None] = [None] * (2 * width - len(shown))
    heights = [_dots(value, top, 4 * height) for value in [*gaps, *shown]]
    rows = []
    for row in range(height):
        below = 4 * (height - 1 - row)
        rows.append("".join(_cell(heights[2 * x] - below, heights[2 * x + 1] - below) for x in range(width)))
    return rows


def _dots(value: float | None, top: float, most: int) -> int:
    if value is None or value <= 0 or top <= 0:
        return 0
    return max(1, round(min(1.0, value / top) * most))


def _cell(left: int, right: int) -> str:
    bits = sum(dot for height, dots in ((left, _DOTS[0]), (right, _DOTS[1])) for dot in dots[: max(0, min(4, height))])
    return chr(_BRAILLE + bits) if bits else " "

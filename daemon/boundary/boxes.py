"""Where in a picture a value stands: from places in the words that were seen to areas to paint over.

A line's box is known, and not where its characters stand in it. They are told by shares of the line's length, both with
narrow and wide letters reckoned as such and as if all were alike, and with a margin of three letters at each side, since
what is painted too much is a loss and what is painted too little has left. Where that can't be told (a line that was not
read surely, other scripts than Latin ones, a line on its head or upright, or one of which little would be left) the whole
line is painted over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from daemon.boundary.pictures import Lines
from daemon.signals.base import Span
from providers.contract import Line, Sight

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[Point, Point, Point, Point]
"""Corners in the order of a line's: from the top left, in reading direction. In pixels."""

SURE: Final = 0.8
"""A line that was read less surely is painted over as a whole: its letters may be others, and so may their places."""
MARGIN: Final = 3.0
"""Letters at each side. Where a letter stands is off by 1.7 at most, in 61,000 letters of fonts with the metrics of Arial,
Times, Courier, Verdana and Pillow's own; OCR leaves out a space now and then.
"""
RISE: Final = 0.2
"""Of a line's height, above and below it: boxes of lines are tight, and letters hang out of them."""
MOST: Final = 0.8
"""A value that takes more of its line than this, margins and all, takes it whole."""
_WIDTHS: Final = {
    character: width
    for width, characters in (
        (0.24, "ijl|'"),
        (0.29, "ftI .,:;!/\\[]"),
        (0.36, 'r()-`{}"*'),
        (0.5, "ckszvxyJ"),
        (0.62, "TFZL?+=<>~^"),
        (0.68, "ABEKPSVXY&"),
        (0.73, "CDHNRUw"),
        (0.78, "GOQ"),
        (0.85, "mM%"),
        (0.96, "W@"),
    )
    for character in characters
}
"""In ems, between those of Helvetica and Times."""
_USUAL_WIDTH: Final = 0.55


def boxes(sight: Sight, places: Iterable[Span]) -> tuple[Box, ...]:
    """What to paint over in a picture, of which the first frame alone is left. places: in its words, all within lines."""
    lines = Lines(sight)
    found = [
        _box(sight.text, line, max(place.start, line.start), min(place.end, line.end))
        for place in places
        for line in lines.of(place.start, place.end)
        if line.page == 0
    ]
    return tuple(dict.fromkeys(found))


def _box(text: str, line: Line, start: int, end: int) -> Box:
    words = text[line.start : line.end]
    begin, finish = start - line.start, end - line.start
    widths = [_width(character) for character in words]
    total = sum(widths)
    first = min(sum(widths[:begin]) / total, begin / len(words)) - MARGIN / len(words)
    last = max(sum(widths[:finish]) / total, finish / len(words)) + MARGIN / len(words)
    if not _can_be_told(words, line) or min(last, 1.0) - max(first, 0.0) > MOST:
        first, last = -0.05, 1.05
    top_left, top_right, bottom_right, bottom_left = line.box
    above, below = _towards(bottom_left, top_left, 1 + RISE), _towards(top_left, bottom_left, 1 + RISE)
    above_end, below_end = _towards(bottom_right, top_right, 1 + RISE), _towards(top_right, bottom_right, 1 + RISE)
    return (
        _towards(above, above_end, first),
        _towards(above, above_end, last),
        _towards(below, below_end, last),
        _towards(below, below_end, first),
    )


def _can_be_told(words: str, line: Line) -> bool:
    """Whether shares of the line's length tell where its letters stand."""
    (left, top), (right, end), _, (low_left, low) = line.box
    along = (right - left, end - top)
    level = along[0] > 0 and abs(along[1]) < along[0]
    latin = all(character < "\u0250" for character in words)
    return line.sure >= SURE and latin and level and low > top and abs(low_left - left) < low - top


def _width(character: str) -> float:
    """In ems."""
    return _WIDTHS.get(character, _USUAL_WIDTH)


def _towards(start: Point, end: Point, share: float) -> Point:
    """A point on the way from one to another, or beyond."""
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)

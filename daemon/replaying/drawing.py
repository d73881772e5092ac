"""Curves of cost and quality as a picture in SVG: names of models and methods, and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from msgspec import Struct

from daemon.replaying.corners import corners
from daemon.replaying.curve import Curve, Curves, Point
from daemon.replaying.labels import Labels

WIDTH: Final = 1040
HEIGHT: Final = 620
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 736, 84, 536
"""The edges of the field."""
_LEGEND: Final = 768
_FONT: Final = "'Inter','Segoe UI','Helvetica Neue',Arial,sans-serif"
_INK: Final = "#1b2430"
_DIM: Final = "#5d6b7d"
_FAINT: Final = "#e3e8ee"
_MIXED: Final = "#6b7a8c"
_COLOURS: Final = ("#0b6bcb", "#d1480f", "#12805c", "#8e44ad", "#b8860b", "#c2185b")


class _Frame(Struct, frozen=True):
    """What the field spans: costs from 0 on, qualities from low to high."""

    most: float
    low: float
    high: float

    def x(self, cost: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * cost / self.most

    def y(self, quality: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (quality - self.low) / (self.high - self.low)


def drawing(found: Curves) -> str:
    """The picture, as an SVG document."""
    frame = _frame(found)
    labels = Labels(_LEFT + 4, _RIGHT + 24, _BOTTOM - 4)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'font-family="{_FONT}" role="img" aria-label="{escape(_spoken(found), {chr(34): "&quot;"})}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            _text(_LEFT, 34, "Cost and quality on recorded answers", 21, _INK, 700),
            _text(
                _LEFT, 58, f"{found.questions:,} questions tested, {found.chosen_on:,} others to choose on", 14, _DIM
            ),
            *_axes(frame),
            *_levels(found, frame, labels),
            *(
                line
                for place, curve in enumerate(found.curves)
                for line in _curve(curve, _colour(place), frame, labels)
            ),
            _mixed(found, frame),
            *_models(found, frame, labels),
            *_legend(found),
            "</svg>\n",
        )
    )


def _spoken(found: Curves) -> str:
    single = next(model for model in found.models if model.name == found.single)
    told = "; ".join(f"{curve.name} {curve.best.point.quality.value:.1%}" for curve in found.curves)
    return f"Quality: best single model {single.quality.value:.1%}, oracle {found.oracle.quality.value:.1%}; {told}"


def _frame(found: Curves) -> _Frame:
    every = [*found.models, *(point for curve in found.curves for point in curve.points)]
    low = min(0.98, *(point.quality.low for point in every))
    step = _step(found.oracle.quality.high - low)
    floor = max(0.0, math.floor(low / step) * step)
    return _Frame(
        most=max(1.0, *(point.cost for point in every)) * 1.03,
        low=floor,
        high=max(floor + step, min(1.0, math.ceil(found.oracle.quality.high / step) * step)),
    )


def _step(width: float) -> float:
    """Between two lines of a grid of about six."""
    rough = max(width, 0.01) / 6
    size = 10.0 ** math.floor(math.log10(rough))
    return next(size * each for each in (1, 2, 5, 10) if size * each >= rough * 0.999)


def _ticks(low: float, high: float) -> Iterator[float]:
    step = _step(high - low)
    place = math.ceil(low / step - 1e-9)
    while place * step <= high + 1e-9:
        yield place * step
        place += 1


def _axes(frame: _Frame) -> Iterator[str]:
    for quality in _ticks(frame.low, frame.high):
        yield _stroke(_LEFT, frame.y(quality), _RIGHT, frame.y(quality), _FAINT)
        yield _text(_LEFT - 10, frame.y(quality) + 5, f"{quality:.0%}", 13, _DIM, anchor="end")
    for cost in _ticks(0, frame.most):
        yield _stroke(frame.x(cost), _BOTTOM, frame.x(cost), _BOTTOM + 6, _DIM)
        yield _text(frame.x(cost), _BOTTOM + 23, f"{cost:.0%}", 13, _DIM, anchor="middle")
    yield _stroke(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, _DIM)
    yield _text((_LEFT + _RIGHT) / 2, _BOTTOM + 52, "cost, of the best single model's", 14, _INK, anchor="middle")
    yield (
        f'<text transform="translate(26 {(_TOP + _BOTTOM) / 2:g}) rotate(-90)" font-size="14" fill="{_INK}" '
        'text-anchor="middle">quality</text>'
    )


def _levels(found: Curves, frame: _Frame, labels: Labels) -> Iterator[str]:
    """The oracle, and the best single model."""
    single = next(model for model in found.models if model.name == found.single)
    for point, colour, dash in ((found.oracle, _INK, "2 4"), (single, _DIM, "6 4")):
        ends = [(_LEFT, frame.y(point.quality.value)), (_RIGHT, frame.y(point.quality.value))]
        labels.line(ends)
        yield _line(ends, colour, 1.5, dash)
    oracle = frame.x(found.oracle.cost), frame.y(found.oracle.quality.value)
    yield f'<path d="M{oracle[0]:.1f} {oracle[1] - 7:.1f}l7 7l-7 7l-7 -7z" fill="{_INK}"/>'


def _mixed(found: Curves, frame: _Frame) -> str:
    points = [(model.cost, model.quality.value) for model in found.models]
    line = [(frame.x(points[place][0]), frame.y(points[place][1])) for place in corners(points)]
    return _line(line, _MIXED, 1.5, "3 3")


def _curve(curve: Curve, colour: str, frame: _Frame, labels: Labels) -> Iterator[str]:
    if curve.over_mixing is None:
        return  # models alone, which are drawn as such
    spots = [(frame.x(point.cost), frame.y(point.quality.value)) for point in curve.points]
    labels.line(spots)
    yield _line(spots, colour, 2)
    for (x, y), point in zip(spots, curve.points, strict=True):
        ends = frame.y(point.quality.low), frame.y(point.quality.high)
        labels.mark(x, y, ends)
        yield f'<path d="M{x:.1f} {ends[0]:.1f}V{ends[1]:.1f}" stroke="{colour}" stroke-opacity="0.25" stroke-width="3"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'


def _models(found: Curves, frame: _Frame, labels: Labels) -> Iterator[str]:
    upwards = sorted(found.models, key=lambda model: model.quality.value)
    spots = [(model, frame.x(model.cost), frame.y(model.quality.value)) for model in upwards]
    for _, x, y in spots:
        labels.mark(x, y)
    for model, x, y in spots:
        yield _square(x, y)
        yield _text(*labels.place(x, y, model.name), model.name, 12, _DIM, halo=True)
    yield from _cross(frame.x(found.random.cost), frame.y(found.random.quality.value))


def _square(x: float, y: float) -> str:
    return (
        f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="#fff" stroke="{_INK}" stroke-width="2"/>'
    )


def _cross(x: float, y: float) -> Iterator[str]:
    yield f'<path d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10" stroke="{_INK}" stroke-width="2"/>'


def _legend(found: Curves) -> Iterator[str]:
    y = _TOP + 14.0
    for place, curve in enumerate(found.curves):
        eta = f"η {curve.best.eta.value:+.0%}" if curve.best.eta else "no η"
        gain = f"gain {100 * curve.best.gain.value:+.1f} points, {eta}" if curve.over_mixing else "one model for all"
        yield _stroke(_LEGEND, y - 5, _LEGEND + 22, y - 5, _colour(place), width=3)
        yield f'<circle cx="{_LEGEND + 11}" cy="{y - 5:g}" r="4" fill="{_colour(place)}"/>'
        yield _text(_LEGEND + 32, y, curve.name, 14, _INK, 600)
        yield _text(_LEGEND + 32, y + 17, gain, 12, _DIM)
        y += 44
    y += 6
    for dash, colour, name, point in _rulers(found):
        yield _stroke(_LEGEND, y - 5, _LEGEND + 22, y - 5, colour, dash)
        yield _text(_LEGEND + 32, y, f"{name} {point.quality.value:.1%}" if point else name, 13, _INK)
        y += 24
    yield _square(_LEGEND + 11, y - 5)
    yield _text(_LEGEND + 32, y, "one model", 13, _INK)
    yield from _cross(_LEGEND + 11, y + 19)
    yield _text(_LEGEND + 32, y + 24, f"one at random {found.random.quality.value:.1%}", 13, _INK)
    if not found.worded:
        yield _text(_LEGEND, HEIGHT - 32, "Costs are of the questions alone.", 12, _DIM)
    yield _text(_LEGEND, HEIGHT - 14, "Bars: 95 %, by bootstrap.", 12, _DIM)


def _rulers(found: Curves) -> Iterator[tuple[str, str, str, Point | None]]:
    yield "2 4", _INK, "oracle", found.oracle
    yield "6 4", _DIM, "best single", next(model for model in found.models if model.name == found.single)
    yield "3 3", _MIXED, "models mixed at random", None


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _text(
    x: float, y: float, text: str, size: int, fill: str, weight: int = 400, anchor: str = "start", halo: bool = False
) -> str:
    around = ' stroke="#ffffff" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" font-weight="{weight}" text-anchor="{anchor}"'
        f"{around}>{escape(text)}</text>"
    )


def _stroke(x: float, y: float, to_x: float, to_y: float, colour: str, dash: str = "", width: float = 1.5) -> str:
    return _line([(x, y), (to_x, to_y)], colour, width, dash)


def _line(points: Sequence[tuple[float, float]], colour: str, width: float, dash: str = "") -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashed}/>'

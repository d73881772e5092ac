"""The icon in each state, drawn for a size.

Everything is set on whole pixels of the size asked for and painted SCALE times as large, so that straight edges stay sharp
after it is made small, and only round and slanted ones are softened. A state is told by its shape; its colour is one that
stands out from black and from white panels alike (test_icons.py holds each to a contrast of 3 with both).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from PIL import Image, ImageDraw

from tui.tray.states import State

SCALE: Final = 16
SIZES: Final = (16, 22, 24, 32, 48, 64, 128, 256)
"""In which panels, menus and notifications ask for one."""
COLOURS: Final[dict[State, str]] = {
    State.STOPPED: "#7b848e",
    State.CLOUD: "#cf6a0a",
    State.ATTENTION: "#db3b44",
    State.LOCAL_ONLY: "#2b8a46",
    State.WORKING: "#128a7e",
    State.IDLE: "#128a7e",
}
CLEAR: Final = (0, 0, 0, 0)


def icon(state: State, size: int) -> Image.Image:
    """A square picture on nothing, RGBA. size: in pixels, 8 or more."""
    large = Image.new("RGBA", (size * SCALE, size * SCALE), CLEAR)
    _SHAPES[state](_Pen(ImageDraw.Draw(large), size, COLOURS[state]))
    return large.resize((size, size), Image.Resampling.BOX, reducing_gap=None)


class _Pen:
    """Paints in pixels of the small picture. line: how thick a stroke is there; edge: what stays free around the shape."""

    def __init__(self, draw: ImageDraw.ImageDraw, size: int, colour: str) -> None:
        self.size = size
        self.line = max(2, round(size * 0.125))
        self.edge = max(1, round(size * 0.06))
        self._draw = draw
        self._colour = colour

    def disc(self, x: float, y: float, radius: float, erase: bool = False) -> None:
        """A filled circle."""
        box = [SCALE * (x - radius), SCALE * (y - radius), SCALE * (x + radius) - 1, SCALE * (y + radius) - 1]
        self._draw.ellipse(box, fill=CLEAR if erase else self._colour)

    def ring(self) -> float:
        """The loop, as large as the picture allows. Returns its inner radius."""
        outer = self.size / 2 - self.edge
        self.disc(self.size / 2, self.size / 2, outer)
        self.disc(self.size / 2, self.size / 2, outer - self.line, erase=True)
        return outer - self.line

    def polygon(self, *points: tuple[float, float], erase: bool = False) -> None:
        """A filled shape."""
        self._draw.polygon([(SCALE * x, SCALE * y) for x, y in points], fill=CLEAR if erase else self._colour)

    def box(self, left: float, top: float, right: float, bottom: float, erase: bool = False) -> None:
        """A filled rectangle."""
        area = [SCALE * left, SCALE * top, SCALE * right - 1, SCALE * bottom - 1]
        self._draw.rectangle(area, fill=CLEAR if erase else self._colour)

    def stroke(self, begin: tuple[float, float], end: tuple[float, float], width: float, erase: bool = False) -> None:
        """A line with square ends."""
        (x1, y1), (x2, y2) = begin, end
        length = math.hypot(x2 - x1, y2 - y1)
        dx, dy = (y2 - y1) / length * width / 2, (x1 - x2) / length * width / 2
        self.polygon((x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy), erase=erase)


def _idle(pen: _Pen) -> None:
    """The loop, with nothing in it."""
    pen.ring()


def _working(pen: _Pen) -> None:
    """Something goes on inside the loop."""
    inner = pen.ring()
    pen.disc(pen.size / 2, pen.size / 2, max(inner / 2, inner - max(2, round(pen.size * 0.1))))


def _cloud(pen: _Pen) -> None:
    """The loop is open, and an arrow leads out of it."""
    size, edge, line = pen.size, pen.edge, pen.line
    pen.ring()
    far, near = size - edge, edge  # the arrow's corner, at the right and at the top
    head = round(size * 0.42)
    gap = max(1, round(size * 0.09))
    pen.box(far - head - gap, 0, size, near + head + gap, erase=True)
    pen.stroke((size / 2 - line / 2, size / 2 + line / 2), (far - line / 2, near + line / 2), line)
    pen.box(far - head, near, far, near + line)
    pen.box(far - line, near, far, near + head)


def _attention(pen: _Pen) -> None:
    """A full disc with an exclamation mark in it."""
    size, line = pen.size, pen.line
    pen.disc(size / 2, size / 2, size / 2 - pen.edge)
    width = line + (size - line) % 2  # as even or odd as the picture, so that it stands in the middle
    left = (size - width) // 2
    top, low = round(size * 0.22), round(size * 0.78)
    dot = max(2, round(width * 1.05))
    pen.box(left, top, left + width, low - dot - max(1, round(size * 0.07)), erase=True)
    pen.box(left, low - dot, left + width, low, erase=True)


def _local_only(pen: _Pen) -> None:
    """A house."""
    size, edge = pen.size, pen.edge
    middle, eaves, floor = size / 2, round(size * 0.54), size - edge
    wall = edge + max(1, round(size * 0.12))
    pen.polygon((middle, edge - 0.2), (size - edge + 0.5, eaves), (edge - 0.5, eaves))
    pen.box(wall, eaves - 1, size - wall, floor)
    door = max(2, round(size * 0.2)) + (size - max(2, round(size * 0.2))) % 2
    left = (size - door) // 2
    pen.box(left, floor - round(size * 0.26), left + door, floor, erase=True)


def _stopped(pen: _Pen) -> None:
    """The loop, crossed out."""
    size, line = pen.size, pen.line
    pen.ring()
    reach = (size / 2 - pen.edge - line / 2) / math.sqrt(2)
    begin, end = (size / 2 - reach, size / 2 + reach), (size / 2 + reach, size / 2 - reach)
    pen.stroke(begin, end, line * 0.9)


_SHAPES: Final[dict[State, Callable[[_Pen], None]]] = {
    State.STOPPED: _stopped,
    State.CLOUD: _cloud,
    State.ATTENTION: _attention,
    State.LOCAL_ONLY: _local_only,
    State.WORKING: _working,
    State.IDLE: _idle,
}

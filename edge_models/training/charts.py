"""Pictures of calibration: stated probability against the share that came true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

_SIDE: Final = 220
_EDGE: Final = 34
_INK: Final = 40
_FAINT: Final = 200


def draw(path: Path, title: str, curve: Sequence[tuple[float, float, int]]) -> None:
    """A PNG of 3 kB. curve: for each bin stated probability, share that came true, how many."""
    from PIL import Image, ImageDraw

    picture = Image.new("L", (_SIDE + 2 * _EDGE, _SIDE + 2 * _EDGE), 255)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((_EDGE, _EDGE, _EDGE + _SIDE, _EDGE + _SIDE), outline=_FAINT)
    pen.line((_EDGE, _EDGE + _SIDE, _EDGE + _SIDE, _EDGE), fill=_FAINT)
    points = [(_EDGE + stated * _SIDE, _EDGE + (1 - true) * _SIDE) for stated, true, _ in curve]
    if len(points) > 1:
        pen.line(points, fill=_INK, width=2)
    most = max((count for _, _, count in curve), default=1)
    for (x, y), (_, _, count) in zip(points, curve, strict=True):
        radius = 2 + 5 * (count / most) ** 0.5
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_INK)
    pen.text((_EDGE, 10), title, fill=0)
    pen.text((_EDGE, _EDGE + _SIDE + 12), "stated probability 0 to 1; up: came true", fill=0)
    picture.save(path, optimize=True)

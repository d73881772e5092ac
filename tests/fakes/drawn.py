"""Pictures drawn for tests, with the font that Pillow carries."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont


def saved(image: Image.Image, format: str = "PNG", **how: object) -> bytes:
    """The file's bytes."""
    out = io.BytesIO()
    image.save(out, format, **how)
    return out.getvalue()


def note(lines: Sequence[str], size: int = 28, width: int = 640, angle: float = 0.0, dark: bool = False) -> Image.Image:
    """A note with lines of words, in a picture."""
    ink, paper = ("white", "black") if dark else ("black", "white")
    height = 60 + len(lines) * size * 3 // 2
    image = Image.new("RGB", (width, height), paper)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    for number, line in enumerate(lines):
        draw.text((30, 30 + number * size * 3 // 2), line, fill=ink, font=font)
    return image.rotate(angle, expand=True, fillcolor=paper, resample=Image.Resampling.BICUBIC) if angle else image

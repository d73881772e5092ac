"""A picture as it may leave: its pixels alone, upright, no larger than wanted, with boxes painted over.

What is written is made from pixels, so nothing else of the file can be in it: no EXIF, no text chunks, no thumbnail, no
second frame, nothing behind its end. Boxes are filled before anything is made smaller, so that no edge of a letter is mixed
into what is seen beside them.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final, Literal

from PIL import Image, ImageDraw

from edge_models.vision.seen import Box

Form = Literal["jpeg", "png"]
_FILL: Final = (0, 0, 0)
_QUALITY: Final = 90
_LARGE_PNG_BYTES: Final = 4_500_000
"""Clouds take 5 MB; a photograph as PNG is larger than that, and no worse as JPEG."""
_OF_PHOTOGRAPHS: Final = frozenset({"jpeg", "webp", "avif"})


def painted(
    image: Any, boxes: Sequence[Box], form: str, max_side: int | None = None, wanted: Form | None = None
) -> tuple[bytes, Form, int, int]:
    """The file's bytes, its form and size. image: Pillow's, RGB. boxes: in its pixels; they may reach out of it.

    form: the file's own. max_side: pixels; it is never made larger. wanted: None: JPEG for what photographs come in,
    else PNG.
    """
    image = image.copy()
    draw = ImageDraw.Draw(image)
    for box in boxes:
        draw.polygon([(x, y) for x, y in box], fill=_FILL, outline=_FILL, width=2)
    if max_side is not None and max(image.size) > max_side:
        image.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    image.info = {}
    as_form: Form = wanted or ("jpeg" if form in _OF_PHOTOGRAPHS else "png")
    data = _written(image, as_form)
    if wanted is None and as_form == "png" and len(data) > _LARGE_PNG_BYTES:
        as_form = "jpeg"
        data = _written(image, as_form)
    return data, as_form, image.width, image.height


def _written(image: Any, form: Form) -> bytes:
    held = io.BytesIO()
    if form == "jpeg":
        image.save(held, "JPEG", quality=_QUALITY)
    else:
        image.save(held, "PNG", compress_level=6)
    return held.getvalue()

"""What happens to a picture before somebody sends it: photographed, turned, cut, darkened, blurred, packed."""

from __future__ import annotations

import io
import math
from typing import Final

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

from edge_models.training.pictures.pen import Pen, Picture

_LARGEST: Final = 1100


def photographed(pen: Pen, image: Picture) -> Picture:
    """It lies somewhere, seen at an angle, in some light, perhaps not all of it."""
    scale = pen.random.uniform(0.45, 0.95)
    width = pen.between(500, 1000)
    height = int(width * pen.pick((0.75, 1.0, 1.33)))
    share = min(width * scale / image.width, height * scale / image.height)
    small = image.resize(
        (max(8, int(image.width * share)), max(8, int(image.height * share))), Image.Resampling.BICUBIC
    )
    turn = math.radians(pen.random.choice((pen.random.uniform(-12, 12), pen.random.uniform(-40, 40))))
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = width / 2 + pen.random.uniform(-0.1, 0.1) * width, height / 2 + pen.random.uniform(-0.1, 0.1) * height
    corners = []
    for right, down in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
        across, along = (
            right * small.width * pen.random.uniform(0.92, 1.05),
            down * small.height * pen.random.uniform(0.92, 1.05),
        )
        corners.append((x + across * cos - along * sin, y + across * sin + along * cos))
    edges = ((0, 0), (small.width, 0), (small.width, small.height), (0, small.height))
    numbers = perspective(corners, edges)
    table = pen.surface(width, height)
    laid = small.transform((width, height), Image.Transform.PERSPECTIVE, numbers, Image.Resampling.BILINEAR)
    where = Image.new("L", small.size, 255).transform((width, height), Image.Transform.PERSPECTIVE, numbers)
    if pen.chance(0.6):
        shadow = where.filter(ImageFilter.GaussianBlur(pen.between(4, 14)))
        table = Image.composite(ImageEnhance.Brightness(table).enhance(0.6), table, shadow)
    table.paste(laid, (0, 0), where)
    values = np.asarray(table, np.float32) / 255
    first, last = pen.random.uniform(0.55, 1.15), pen.random.uniform(0.55, 1.15)
    light = np.linspace(first, last, width)[None, :, None] * pen.noise.uniform(0.92, 1.06, 3)
    values = values * light + pen.noise.normal(0, 0.015, values.shape)
    return Image.fromarray((np.clip(values, 0, 1) * 255).astype(np.uint8))


def perspective(of: list[tuple[float, float]], to: tuple[tuple[float, float], ...]) -> tuple[float, ...]:
    """The eight numbers that Pillow wants for a plane seen otherwise: each point of the first becomes one of the second."""
    rows, values = [], []
    for (x, y), (u, v) in zip(of, to, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return tuple(float(value) for value in np.linalg.solve(np.array(rows), np.array(values)))


def turned(image: Picture, degrees: float, fill: tuple[int, int, int] = (128, 128, 128)) -> Picture:
    """By so many degrees; it grows, and the corners are filled."""
    return image.rotate(degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=fill)


def packed(image: Picture, quality: int) -> Picture:
    """As a JPEG of that quality shows it."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(io.BytesIO(buffer.getvalue())).convert("RGB")


def cut(pen: Pen, image: Picture, least: float) -> Picture:
    """A part of it, with at least that share of its area."""
    share = pen.random.uniform(least, 1)
    wide = pen.random.uniform(share, min(1, share**0.4))
    width, height = max(8, int(image.width * wide)), max(8, int(image.height * share / wide))
    left, top = pen.between(0, image.width - width), pen.between(0, image.height - height)
    return image.crop((left, top, left + width, top + height))


def blurred(image: Picture, share: float) -> Picture:
    """share: the radius, of the longer side."""
    return image.filter(ImageFilter.GaussianBlur(max(image.size) * share))


def grey(image: Picture) -> Picture:
    """Without its colours."""
    return image.convert("L").convert("RGB")


def worn(pen: Pen, image: Picture, camera: float) -> Picture:
    """Some of all that, by chance. camera: how often it is photographed first."""
    if pen.chance(camera):
        image = photographed(pen, image)
    elif pen.chance(0.15):
        image = turned(image, pen.random.uniform(-10, 10), pen.pick(((255, 255, 255), (0, 0, 0), (128, 128, 128))))
    if pen.chance(0.25):
        image = cut(pen, image, 0.45)
    if max(image.size) > _LARGEST or pen.chance(0.35):
        most = pen.between(240, _LARGEST)
        image.thumbnail((most, most), Image.Resampling.BICUBIC)
    if pen.chance(0.2):
        image = blurred(image, pen.random.uniform(0.0008, 0.004))
    if pen.chance(0.2):
        image = ImageEnhance.Brightness(image).enhance(pen.random.uniform(0.45, 1.25))
    if pen.chance(0.15):
        image = grey(image)
    return packed(image, pen.between(35, 95)) if pen.chance(0.7) else image

"""Pictures like those of medicine, made of noise and ellipses: X-ray, CT, ultrasound, fundus, histology, a heart's curve.

They show nothing of anybody, and hardly teach what a physician sees: only how such pictures look from afar.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from edge_models.training.pictures.pen import Pen, Picture

Floats = NDArray[np.float32]


def chest(pen: Pen) -> Picture:
    """Two dark lungs under ribs, a heart, a spine, shoulders."""
    width, height = _size(pen)
    grid = _Grid(width, height)
    field = 0.25 + 0.45 * grid.blob(0, 0.1, 0.95, 1.2, 6)
    field += 0.18 * grid.blob(0, -1.0, 0.35, 0.5, 3)
    for side in (-1, 1):
        lean = pen.random.uniform(0.36, 0.44) * side
        lung = grid.blob(
            lean, pen.random.uniform(-0.08, 0.02), pen.random.uniform(0.27, 0.33), pen.random.uniform(0.58, 0.7), 4
        )
        field -= pen.random.uniform(0.35, 0.5) * lung
        for rib in range(9):
            middle = -0.75 + rib * 0.17
            bend = (
                middle + 0.22 * (np.abs(grid.x) - 0.3) * (1 if rib % 2 else 0.4) - 0.25 * (np.abs(grid.x) - 0.45) ** 2
            )
            near = np.exp(-(((grid.y - bend) / 0.028) ** 2)) * (grid.x * side > 0.05) * (np.abs(grid.x) < 0.78)
            field += pen.random.uniform(0.07, 0.13) * near
        collar = -0.72 + 0.25 * np.abs(grid.x)
        field += 0.16 * np.exp(-(((grid.y - collar) / 0.03) ** 2)) * (grid.x * side > 0.05) * (np.abs(grid.x) < 0.7)
    field += 0.3 * grid.blob(pen.random.uniform(0.05, 0.14), 0.28, pen.random.uniform(0.22, 0.32), 0.3, 2)
    field += 0.22 * np.exp(-((grid.x / 0.07) ** 2)) * (1 + 0.25 * np.sin(grid.y * 34))
    field += 0.3 * (grid.y > 0.62 - 0.25 * np.cos(grid.x * 3)) * grid.blob(0, 0.9, 0.9, 0.5, 4)
    return _grey(pen, field, 0.02, grid)


def bone(pen: Pen) -> Picture:
    """Long bones or a hand on black."""
    width, height = _size(pen)
    grid = _Grid(width, height)
    field = np.full(grid.x.shape, 0.04, np.float32)
    if pen.chance(0.5):
        for number in range(5):
            lean = (number - 2) * pen.random.uniform(0.14, 0.2)
            for joint in range(4):
                middle = 0.55 - joint * 0.36 + 0.08 * abs(number - 2)
                x = lean * (1 + joint * 0.35)
                field += 0.28 * grid.blob(x, middle, 0.11, 0.22, 3)
                field += 0.4 * grid.blob(x, middle, 0.045, 0.15, 2) + 0.2 * grid.blob(x, middle + 0.15, 0.06, 0.05, 2)
    else:
        turn = pen.random.uniform(-0.5, 0.5)
        across = grid.x * math.cos(turn) + grid.y * math.sin(turn)
        along = grid.y * math.cos(turn) - grid.x * math.sin(turn)
        field += 0.3 * np.exp(-((across / 0.45) ** 4))
        for middle in ((0.0,), (-0.14, 0.13))[pen.between(0, 1)]:
            width_here = 0.1 + 0.07 * np.abs(along) ** 3
            edge = np.abs(across - middle) / width_here
            field += (0.3 + 0.35 * np.exp(-(((edge - 0.85) / 0.2) ** 2))) * (edge < 1.05)
    return _grey(pen, field, 0.025, grid)


def slice_of_body(pen: Pen) -> Picture:
    """CT: an oval body on black, organs, a spine; or a head with its bright skull."""
    width, height = _size(pen, square=True)
    grid = _Grid(width, height)
    head = pen.chance(0.45)
    wide, high = (0.62, 0.76) if head else (0.86, 0.62)
    body = grid.blob(0, 0, wide, high, 12)
    field = 0.45 * body
    if head:
        ring = np.sqrt((grid.x / wide) ** 2 + (grid.y / high) ** 2)
        field += pen.random.uniform(0.3, 0.6) * np.exp(-(((ring - 0.92) / 0.05) ** 2))
        field += 0.12 * pen_noise(pen, grid.x.shape, 18) * body
        for side in (-1, 1):
            field -= 0.2 * grid.blob(0.13 * side, -0.05, 0.07, 0.24, 3)
    else:
        for _ in range(pen.between(4, 9)):
            place = (pen.random.uniform(-0.6, 0.6), pen.random.uniform(-0.4, 0.35))
            field += (
                pen.random.uniform(-0.3, 0.22)
                * grid.blob(*place, pen.random.uniform(0.06, 0.3), pen.random.uniform(0.06, 0.24), 4)
                * body
            )
        field += 0.5 * grid.blob(0, 0.38, 0.1, 0.1, 3) + 0.3 * grid.blob(0, 0.52, 0.04, 0.12, 3)
        field += (
            0.25
            * np.exp(-(((np.sqrt((grid.x / wide) ** 2 + (grid.y / high) ** 2) - 0.9) / 0.03) ** 2))
            * (np.sin(np.arctan2(grid.y, grid.x) * 22) > 0.2)
        )
    return _grey(pen, field, 0.03, grid)


def ultrasound(pen: Pen) -> Picture:
    """A fan of speckle on black, with a scale and numbers."""
    width, height = _size(pen)
    grid = _Grid(width, height)
    far, angle = np.hypot(grid.x, grid.y + 1.15), np.arctan2(grid.x, grid.y + 1.15)
    fan = (far > 0.3) & (far < 2.0) & (np.abs(angle) < pen.random.uniform(0.5, 0.75))
    rough = 0.35 + 0.3 * pen_noise(pen, grid.x.shape, 40)
    for _ in range(pen.between(1, 4)):
        rough -= 0.35 * grid.blob(
            pen.random.uniform(-0.4, 0.4),
            pen.random.uniform(-0.2, 0.6),
            pen.random.uniform(0.1, 0.35),
            pen.random.uniform(0.1, 0.3),
            4,
        )
    for _ in range(pen.between(1, 4)):
        rough += (
            0.3
            * np.exp(-(((far - pen.random.uniform(0.5, 1.8)) / 0.03) ** 2))
            * (angle > pen.random.uniform(-0.6, 0.1))
        )
    speckle = np.asarray(pen.noise.rayleigh(0.8, grid.x.shape), np.float32)
    image = _grey(pen, np.clip(rough, 0.02, 1) * speckle * fan, 0.0, grid, invert=False)
    image = image.filter(ImageFilter.GaussianBlur(0.8))
    _marks(pen, image, 6)
    return image


def fundus(pen: Pen) -> Picture:
    """The eye's back: an orange disc on black, a bright spot, vessels."""
    side = pen.between(300, 700)
    image, draw = pen.blank(side, side, (0, 0, 0))
    red = pen.between(150, 220)
    draw.ellipse(
        (side * 0.03, side * 0.03, side * 0.97, side * 0.97), (red, red * pen.between(35, 55) // 100, red // 6)
    )
    x, y = side * pen.pick((0.3, 0.7)), side * pen.random.uniform(0.45, 0.55)
    for _ in range(pen.between(8, 16)):
        angle, at_x, at_y, width = pen.random.uniform(0, 6.28), x, y, side / pen.random.uniform(60, 130)
        for _ in range(26):
            angle += pen.random.uniform(-0.3, 0.3)
            to_x, to_y = at_x + side * 0.022 * math.cos(angle), at_y + side * 0.022 * math.sin(angle)
            if math.hypot(to_x - side / 2, to_y - side / 2) > side * 0.46:
                break
            draw.line((at_x, at_y, to_x, to_y), (red * 6 // 10, 25, 15), max(1, int(width)))
            at_x, at_y, width = to_x, to_y, width * 0.96
    spot = side * 0.07
    draw.ellipse((x - spot, y - spot, x + spot, y + spot), (255, 225, 150))
    return _noisy(pen, image.filter(ImageFilter.GaussianBlur(side / 300)), 4)


def tissue(pen: Pen) -> Picture:
    """Cells in pink and violet under a microscope."""
    width, height = _size(pen)
    pink, violet = (
        (pen.between(215, 240), pen.between(150, 195), pen.between(195, 220)),
        (pen.between(80, 130), pen.between(50, 90), pen.between(120, 160)),
    )
    share = np.clip(0.5 + 0.5 * pen_noise(pen, (height, width), pen.between(8, 30)), 0, 1)[..., None]
    base = np.array(pink) * (1 - 0.4 * share) + np.array((245, 235, 242)) * 0.4 * share
    image = Image.fromarray(base.astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for _ in range(pen.between(80, 700)):
        x, y, radius = pen.random.uniform(0, width), pen.random.uniform(0, height), pen.random.uniform(2, 9)
        draw.ellipse((x - radius, y - radius * pen.random.uniform(0.6, 1.2), x + radius, y + radius), violet)
    for _ in range(pen.between(0, 7)):
        x, y, radius = pen.random.uniform(0, width), pen.random.uniform(0, height), pen.random.uniform(12, 60)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), (246, 240, 245), violet, 3)
    return _noisy(pen, image.filter(ImageFilter.GaussianBlur(1)), 6)


def heart_curve(pen: Pen) -> Picture:
    """An electrocardiogram on its squared pink paper."""
    width, height = pen.between(600, 1100), pen.between(300, 800)
    image, draw = pen.blank(width, height, pen.pick(((255, 240, 240), (255, 250, 245), (255, 255, 255))))
    step = pen.between(5, 9)
    for at in range(0, max(width, height), step):
        shade = (240, 160, 160) if at % (step * 5) == 0 else (250, 210, 210)
        draw.line((at, 0, at, height), shade)
        draw.line((0, at, width, at), shade)
    rows = pen.between(2, 6)
    for row in range(rows):
        y, beat = (row + 0.6) * height / rows, pen.between(60, 120)
        high, points = height / rows * pen.random.uniform(0.2, 0.45), []
        for x in range(0, width, 2):
            share = (x % beat) / beat
            wave = (
                0.12 * math.exp(-(((share - 0.2) / 0.03) ** 2))
                + math.exp(-(((share - 0.4) / 0.012) ** 2))
                - 0.2 * math.exp(-(((share - 0.44) / 0.015) ** 2))
                + 0.22 * math.exp(-(((share - 0.65) / 0.05) ** 2))
            )
            points.append((x, y - high * wave + pen.random.uniform(-1, 1)))
        draw.line(points, (20, 20, 30), pen.pick((1, 2)))
        draw.text(
            (8, y - height / rows * 0.5), pen.pick(("I", "II", "III", "aVR", "V1", "V5")), (0, 0, 0), pen.font(14)
        )
    return image


class _Grid:
    """Places of a picture, from -1 to 1."""

    def __init__(self, width: int, height: int) -> None:
        x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
        self.x, self.y = x.astype(np.float32), y.astype(np.float32)

    def blob(self, x: float, y: float, wide: float, high: float, sharp: float) -> Any:
        """An ellipse, 1 inside; sharp: how fast it ends."""
        far = np.sqrt(((self.x - x) / wide) ** 2 + ((self.y - y) / high) ** 2)
        return 1 / (1 + np.exp(np.clip((far - 1) * sharp * 3, -40, 40)))


def pen_noise(pen: Pen, shape: tuple[int, ...], cells: int) -> Any:
    """Soft noise around 0, so many waves across."""
    small = pen.noise.normal(size=(cells, cells)).astype(np.float32)
    wide = Image.fromarray(small).resize((shape[1], shape[0]), Image.Resampling.BICUBIC)
    return np.asarray(wide) / 2


def _size(pen: Pen, square: bool = False) -> tuple[int, int]:
    width = pen.between(256, 640)
    return width, width if square else int(width * pen.random.uniform(0.8, 1.25))


def _grey(pen: Pen, field: Any, rough: float, grid: _Grid, invert: bool | None = None) -> Picture:
    field = field + rough * pen.noise.normal(size=field.shape) + 0.03 * pen_noise(pen, field.shape, 30)
    field = np.clip(field * pen.random.uniform(0.85, 1.2), 0, 1) ** pen.random.uniform(0.8, 1.3)
    if invert if invert is not None else pen.chance(0.06):
        field = 1 - field
    image = Image.fromarray((field * 255).astype(np.uint8)).convert("RGB")
    image = image.filter(ImageFilter.GaussianBlur(pen.random.uniform(0.3, 1.2)))
    if pen.chance(0.35):
        _marks(pen, image, pen.between(1, 6))
    return image


def _marks(pen: Pen, image: Picture, count: int) -> None:
    """Letters in the corners: a side, numbers."""
    draw, size = ImageDraw.Draw(image), image.height / 32
    for _ in range(count):
        x, y = pen.pick((0.02, 0.8)) * image.width, pen.pick((0.02, 0.06, 0.9, 0.94)) * image.height
        draw.text(
            (x, y),
            pen.pick(
                (
                    "L",
                    "R",
                    f"{pen.digits(2)} mm",
                    f"W {pen.digits(3)} L {pen.digits(2)}",
                    f"Im {pen.digits(2)}",
                    "kV 120",
                )
            ),
            (235, 235, 235),
            pen.font(size),
        )


def _noisy(pen: Pen, image: Picture, rough: float) -> Picture:
    values = np.asarray(image, np.float32) + pen.noise.normal(0, rough, (image.height, image.width, 1))
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


MEDICAL: Final = (chest, chest, bone, slice_of_body, slice_of_body, ultrasound, fundus, tissue, heart_curve)

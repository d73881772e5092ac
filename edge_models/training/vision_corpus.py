"""Pictures to compare encoders of pictures on, drawn in code, always the same.

None is a photograph: what tells one resize, one order of channels or one turn from another is edges, fine stripes, noise,
colours that differ, and sides that differ, and these can be drawn. Each way in which a file can be read wrongly has some:
EXIF orientations, transparency in three forms, grey, palettes, odd sizes, strips, one pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from edge_models.engines.base import Unavailable
from edge_models.vision.pixels import Limits

_ENDINGS: Final = frozenset({".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
_ORIENTATION: Final = 0x0112
_LINES: Final = (
    "def total(prices):",
    "    return sum(prices)",
    "Patient: 41 years, no known allergies",
    "P<UTOEXAMPLE<<ANNA<MARIA<<<<<<<<<<<<",
    "Invoice 2041   2 x 14.50   29.00 EUR",
    "The quick brown fox jumps over it.",
)


class Picture(Struct, frozen=True):
    """A picture in its file."""

    name: str
    data: bytes


def drawn() -> tuple[Picture, ...]:
    """All of them."""
    return tuple(_pictures())


def of_folder(folder: Path, most: int = 1000) -> tuple[Picture, ...]:
    """A user's own, by name. Raises Unavailable if there are none."""
    limits = Limits()
    files = [file for file in sorted(folder.rglob("*")) if file.suffix.lower() in _ENDINGS and file.is_file()]
    found = [file for file in files if file.stat().st_size <= limits.size_bytes][:most]
    if not found:
        raise Unavailable(f"{folder} holds no pictures: name another folder, or leave --pictures out")
    return tuple(Picture(file.relative_to(folder).as_posix(), file.read_bytes()) for file in found)


def _pictures() -> Iterator[Picture]:
    rng = np.random.default_rng(20260115)
    for name, size, draw in _SCENES:
        yield Picture(name, _file(draw(rng, *size)))
    scene = _shapes(rng, 320, 200)
    yield Picture("jpeg, rough", _file(scene, "JPEG", quality=40))
    yield Picture("webp", _file(scene, "WEBP", quality=80))
    yield Picture("grey", _file(scene.convert("L")))
    yield Picture("palette", _file(scene.quantize(16)))
    yield Picture("one bit", _file(scene.convert("1")))
    for orientation in range(2, 9):
        exif = Image.Exif()
        exif[_ORIENTATION] = orientation
        turned = _page(rng, 300 + 10 * orientation, 200)
        yield Picture(f"EXIF orientation {orientation}", _file(turned, "JPEG", quality=92, exif=exif))
    yield from _see_through(rng)


def _see_through(rng: np.random.Generator) -> Iterator[Picture]:
    """Transparency: as a channel, as a grey with one, and as a colour of a palette."""
    clear = _shapes(rng, 240, 240).convert("RGBA")
    clear.putalpha(Image.fromarray(np.tile(np.linspace(0, 255, 240), (240, 1)).astype(np.uint8)))
    yield Picture("alpha", _file(clear))
    cut = Image.new("RGBA", (200, 150))
    ImageDraw.Draw(cut).ellipse((20, 20, 180, 130), fill=(200, 30, 60, 255))
    yield Picture("cut out", _file(cut))
    yield Picture("grey with alpha", _file(clear.convert("LA")))
    flat = _shapes(rng, 120, 160).quantize(8)
    yield Picture("clear colour", _file(flat, "PNG", transparency=0))


def _file(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def _image(values: NDArray[Any]) -> Image.Image:
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


def _noise(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    return _image(rng.integers(0, 256, (height, width, 3)))


def _fog(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    """Noise of all scales, as clouds and tissue have."""
    whole = np.zeros((height, width, 3))
    for step in (4, 8, 16, 32, 64):
        coarse = _image(rng.integers(0, 256, (max(2, height // step), max(2, width // step), 3)))
        whole += np.asarray(coarse.resize((width, height), Image.Resampling.BILINEAR), np.float64) * step
    return _image(whole / 124)


def _gradient(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    first, second, third = rng.uniform(0, 255, (3, 3))
    return _image(first * across[..., None] + second * down[..., None] + third * (across * (1 - down))[..., None])


def _stripes(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    """Finer than what remains after a resize, at a slant: each filter makes another moiré of it."""
    across, down = np.meshgrid(np.arange(width), np.arange(height))
    angle, period = rng.uniform(0, math.pi), rng.uniform(2.2, 4.5)
    wave = np.sign(np.sin(2 * math.pi * (across * math.cos(angle) + down * math.sin(angle)) / period))
    return _image(127 + 120 * wave[..., None] * rng.uniform(0.3, 1, 3))


def _board(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    side = int(rng.integers(3, 17))
    across, down = np.meshgrid(np.arange(width) // side, np.arange(height) // side)
    first, second = rng.integers(0, 256, (2, 3))
    return _image(np.where(((across + down) % 2)[..., None] == 0, first, second))


def _shapes(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    image = Image.new("RGB", (width, height), tuple(map(int, rng.integers(150, 256, 3))))
    pen = ImageDraw.Draw(image)
    for _ in range(14):
        x, y = int(rng.integers(-20, width)), int(rng.integers(-20, height))
        box = (x, y, x + int(rng.integers(8, width // 2 + 9)), y + int(rng.integers(8, height // 2 + 9)))
        colour = tuple(map(int, rng.integers(0, 256, 3)))
        (pen.ellipse if rng.random() < 0.5 else pen.rectangle)(box, fill=colour, outline="black")
    return image


def _page(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    dark = rng.random() < 0.4
    ground, ink = ((24, 26, 32), (220, 220, 200)) if dark else ((250, 249, 244), (20, 20, 60))
    image = Image.new("RGB", (width, height), ground)
    pen, size = ImageDraw.Draw(image), max(9, height // 14)
    font = ImageFont.load_default(size)
    for row in range(height // (size + 6)):
        pen.text((8, 6 + row * (size + 6)), _LINES[int(rng.integers(len(_LINES)))], fill=ink, font=font)
    pen.rectangle((width - 40, 8, width - 10, 44), fill=(180, 40, 40))  # so that no side is like another
    return image


def _bones(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    """Bright blurred bars on black, without a colour."""
    across, down = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    light = np.exp(-((across * 1.2) ** 2 + (down * 0.9) ** 2) * 2) * 90
    for place in np.linspace(-0.8, 0.8, 7):
        light += 80 * np.exp(-(((down - place - 0.2 * across**2) * 18) ** 2))
    return _image(np.repeat((light + rng.normal(0, 6, light.shape))[..., None], 3, axis=2))


Draw = Callable[[np.random.Generator, int, int], Image.Image]
_SCENES: Final[tuple[tuple[str, tuple[int, int], Draw], ...]] = (
    ("noise", (512, 512), _noise),
    ("noise, small", (61, 47), _noise),
    ("fog", (640, 480), _fog),
    ("fog, tall", (300, 900), _fog),
    ("gradient", (800, 600), _gradient),
    ("gradient, as large as the model", (224, 224), _gradient),
    ("fine stripes", (700, 500), _stripes),
    ("fine stripes, larger", (1300, 900), _stripes),
    ("board", (333, 257), _board),
    ("board, wide", (900, 120), _board),
    ("shapes", (480, 640), _shapes),
    ("shapes, large", (1600, 1200), _shapes),
    ("page", (850, 1100), _page),
    ("page, wide", (1280, 400), _page),
    ("screen of code", (1024, 700), _page),
    ("bones", (600, 720), _bones),
    ("strip", (1500, 17), _stripes),
    ("strip, upright", (23, 1200), _shapes),
    ("one pixel", (1, 1), _noise),
)

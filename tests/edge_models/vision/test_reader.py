"""Words of pictures that are small, long, or without any."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from edge_models.vision import models
from edge_models.vision.reader import Reader
from edge_models.vision.reading_order import in_order
from tests.fakes.drawn import note

pytest.importorskip("rapidocr")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(models.checked(models.FINDER), models.checked(models.READER), 2)


def text_of(reader: Reader, image: Image.Image) -> str:
    return in_order(reader.read(np.asarray(image.convert("RGB"))))[0]


@pytest.mark.slow
def test_a_long_page(reader: Reader) -> None:
    """A picture of a page from top to bottom is read whole, and each line once."""
    lines = [f"entry {number} of the log" for number in range(100, 130)]
    image = note(lines, size=30, width=420)
    assert image.height > max(3 * image.width, 1280)
    assert text_of(reader, image).split("\n") == lines


def test_a_long_strip(reader: Reader) -> None:
    """So is one from left to right."""
    image = note(["first words here" + " " * 60 + "then others" + " " * 60 + "last"], size=26, width=2600)
    assert image.width > 10 * image.height
    assert " ".join(text_of(reader, image).split()) == "first words here then others last"


def test_a_small_picture(reader: Reader) -> None:
    """Words of ten pixels in a thumbnail are read."""
    assert text_of(reader, note(["password: hunter2"], size=11, width=200)) == "password: hunter2"


def test_a_few_words_in_a_large_photograph(reader: Reader) -> None:
    """A line in a corner of much else is seen."""
    draw = np.random.default_rng(5)
    image = Image.fromarray(draw.integers(90, 160, (24, 32, 3), np.uint8)).resize(
        (2000, 1500), Image.Resampling.BICUBIC
    )
    assert text_of(reader, image) == ""
    ImageDraw.Draw(image).text((1600, 1300), "key 4711", fill="white", font=ImageFont.load_default(26))
    assert text_of(reader, image) == "key 4711"


def test_small_print_below_large_words(reader: Reader) -> None:
    """Words that are clear at a glance don't keep the small ones from being looked at closer."""
    image = note(["Dear Mrs Miller,", "thank you"], size=60, width=1280)
    page = Image.new("RGB", (1280, 900), "white")
    page.paste(image, (0, 0))
    ImageDraw.Draw(page).text((40, 860), "account 4711 hunter2", fill="black", font=ImageFont.load_default(13))
    assert text_of(reader, page).split("\n") == ["Dear Mrs Miller,", "thank you", "account 4711 hunter2"]


MANY_SIZES = """
import numpy, psutil
from edge_models.vision import models
from edge_models.vision.reader import Reader
reader = Reader(models.checked(models.FINDER), models.checked(models.READER), 2)
for number in range(60):
    reader.find(numpy.full((256 + 32 * (number % 8), 256 + 32 * (number // 8), 3), 255, numpy.uint8))
    print(psutil.Process().memory_info().data >> 20)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="private memory is asked of Linux")
def test_pictures_of_many_sizes_do_not_fill_the_memory() -> None:
    """What is compiled for each size that ever came by isn't all kept: of 60 sizes the last 36 took 1.7 GB, and take 0.2 now."""
    told = subprocess.run([sys.executable, "-c", MANY_SIZES], capture_output=True, text=True, check=True).stdout
    held = [int(line) for line in told.split()]
    assert held[-1] - held[23] < 600, held

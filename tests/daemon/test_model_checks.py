"""What doctor says of models: by their headers, their engines, their devices and the daemon's own words."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from daemon.model_checks import checked
from daemon.paths import Paths
from edge_models.catalog import ModelRef


def where(folder: Path) -> Paths:
    return Paths(config=folder, data=folder, cache=folder, runtime=folder, state=folder)


def _text(folder: Path) -> Path:
    path = folder / "x.gguf"
    path.write_text("no model at all")
    return path


def _nothing(folder: Path) -> Path:
    return folder / "nowhere.gguf"


def _folder(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such pipes")
@pytest.mark.parametrize("made", [_text, _nothing, _folder, _pipe])
def test_files_that_no_engine_reads(made: object, tmp_path: Path) -> None:
    """Each is found without being loaded, and has a remedy."""
    (found,) = checked((ModelRef("mine", "openvino-genai", str(made(tmp_path))),), where(tmp_path), ())  # type: ignore[operator]
    assert found.text.startswith("local/mine")
    assert found.remedy


def test_an_engine_that_is_not_here(tmp_path: Path) -> None:
    """It is named."""
    (found,) = checked((ModelRef("mine", "no-such-engine", str(_text(tmp_path))),), where(tmp_path), ())
    assert "no-such-engine is not installed" in found.text
    assert found.remedy


def test_a_device_that_is_not_here() -> None:
    """A pin is held against what is here; one of several is meant by its kind, too."""
    packaged = ModelRef("smollm2-135m-instruct", "openvino-genai", device="NPU")
    (found,) = checked((packaged,), where(Path("/nowhere")), ("CPU", "GPU.0"))
    assert "NPU is not here, only CPU, GPU.0" in found.text
    assert found.remedy
    for device in ("GPU", "CPU", "auto"):
        model = ModelRef("smollm2-135m-instruct", "openvino-genai", device=device)
        (fine,) = checked((model,), where(Path("/nowhere")), ("CPU", "GPU.0"))
        assert not fine.remedy

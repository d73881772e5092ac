"""What a model will come to, before it is loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from edge_models.catalog import CATALOG, ModelRef
from edge_models.estimate import estimate_bytes
from tests.fakes.alone import alone


def test_the_packaged_model_is_reckoned_from_its_header() -> None:
    """The demonstration model's estimate is near the 720 MB that a busy process of it had (measured, 24 long requests)."""
    found = estimate_bytes(ModelRef(CATALOG[0].name, CATALOG[0].engine))

    assert found is not None
    assert 650_000_000 < found < 850_000_000


@pytest.mark.parametrize(
    "ref",
    [
        ModelRef("unknown", "openvino-genai"),
        ModelRef("mine", "openvino-genai", "/no/such/file.gguf"),
        ModelRef("play", "scripted", "parallel=1"),
        ModelRef("play", "scripted", ""),
    ],
    ids=["no entry", "no file", "no model", "no options"],
)
def test_what_can_not_be_reckoned_is_not(ref: ModelRef) -> None:
    """Without a file that tells its numbers there is no estimate, and no error: loading will say what is wrong."""
    assert estimate_bytes(ref) is None


def test_a_damaged_file_has_no_estimate(tmp_path: Path) -> None:
    """A file that is no model is the engine's to refuse."""
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF but nothing more")

    assert estimate_bytes(ModelRef("bad", "openvino-genai", str(path))) is None


def test_reckoning_loads_no_library() -> None:
    """The daemon reckons without numpy, which would cost it 30 MB."""
    script = (
        "import sys\nfrom edge_models.estimate import estimate_bytes\nfrom edge_models.catalog import CATALOG, ModelRef\n"
        "assert estimate_bytes(ModelRef(CATALOG[0].name, CATALOG[0].engine))\nprint('numpy' in sys.modules)"
    )

    assert alone(script).stdout.strip() == "False", sys.executable

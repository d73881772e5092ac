"""The safetensors reader, on good files and on hostile ones."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_models.engines.base import Unavailable
from edge_models.safetensors_file import read_tensors
from tests.fakes.minilm import minilm


def written(path: Path, header: object, data: bytes = b"") -> Path:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def test_minilm() -> None:
    """The real file has its 104 tensors, in their shapes."""
    tensors = read_tensors(minilm() / "model.safetensors")
    assert len(tensors) == 104
    assert tensors["embeddings.word_embeddings.weight"].shape == (30522, 384)
    assert tensors["embeddings.word_embeddings.weight"].dtype == np.float32


def test_types(tmp_path: Path) -> None:
    """Half and brain floats become what numpy can reckon with; metadata is no tensor."""
    header = {
        "__metadata__": {"format": "pt"},
        "half": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
        "brain": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [4, 8]},
        "scalar": {"dtype": "I64", "shape": [], "data_offsets": [8, 16]},
        "none": {"dtype": "F32", "shape": [0, 3], "data_offsets": [16, 16]},
    }
    half = np.array([1.5, -2], "<f2").tobytes()
    brain = (np.array([1.5, -2], "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    data = half + brain + (7).to_bytes(8, "little")

    tensors = read_tensors(written(tmp_path / "m", header, data))

    np.testing.assert_array_equal(tensors["half"], [1.5, -2])
    np.testing.assert_array_equal(tensors["brain"], [[1.5, -2]])
    assert int(tensors["scalar"]) == 7
    assert tensors["none"].shape == (0, 3)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 800]},
        {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]},
        {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 8]},
        {"dtype": "Q9", "shape": [2], "data_offsets": [0, 8]},
        {"dtype": "F32"},
        7,
    ],
)
def test_a_tensor_that_can_not_be(entry: object, tmp_path: Path) -> None:
    """Places outside the file and shapes that don't fit their bytes are refused."""
    with pytest.raises(Unavailable):
        read_tensors(written(tmp_path / "m", {"a": entry}, bytes(8)))


@pytest.mark.parametrize("header", [b"", b"[1]", b"{" * 100_000, b"\xff"])
def test_a_header_that_is_none(header: bytes, tmp_path: Path) -> None:
    """So are headers that are no JSON object, and files without one."""
    with pytest.raises(Unavailable):
        read_tensors(written(tmp_path / "m", header))
    (tmp_path / "m").write_bytes(header[:4])
    with pytest.raises(Unavailable):
        read_tensors(tmp_path / "m")
    with pytest.raises(Unavailable):
        read_tensors(tmp_path / "missing")


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_damaged_files_are_refused_or_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Cut and bit-flipped files raise Unavailable or nothing."""
    header = {"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}
    path = written(tmp_path_factory.mktemp("damaged") / "m", header, bytes(16))
    damaged = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=4)):
        damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    with contextlib.suppress(Unavailable):
        for tensor in read_tensors(path).values():
            tensor.sum()

"""The requantiser, against the `gguf` package."""

from __future__ import annotations

import contextlib
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_models.catalog import CATALOG
from edge_models.engines.base import Unavailable
from edge_models.gguf_file import Q4_1, mapped, read_header
from edge_models.requantize import requantize, requantized
from edge_models.store import locate
from tests.edge_models.test_gguf_file import write_sample

KIND = gguf.GGMLQuantizationType


def reference(blocks: np.ndarray) -> np.ndarray:
    """What the `gguf` package makes of Q4_1 bytes."""
    return gguf.quants.quantize(gguf.quants.dequantize(blocks, KIND.Q4_1), KIND.Q8_0)


@pytest.mark.parametrize("alignment", [32, 64])
def test_a_file_equals_the_reference(alignment: int, tmp_path: Path) -> None:
    """Q4_1 tensors become the reference's Q8_0 to the last bit; other tensors and all fields stay."""
    source, target = tmp_path / "in.gguf", tmp_path / "out.gguf"
    write_sample(source, alignment)
    told: list[float] = []
    requantize(source, target, told.append)
    before, after = gguf.GGUFReader(source), gguf.GGUFReader(target)
    assert after.alignment == alignment
    for key, field in before.fields.items():
        if key == "general.file_type":
            assert after.fields[key].contents() == 7
        elif not key.startswith("GGUF."):
            assert after.fields[key].contents() == field.contents()
    assert list(before.fields) == list(after.fields)
    for old, new in zip(before.tensors, after.tensors, strict=True):
        assert (old.name, old.shape.tolist()) == (new.name, new.shape.tolist())
        if old.tensor_type == KIND.Q4_1:
            assert new.tensor_type == KIND.Q8_0
            np.testing.assert_array_equal(new.data, reference(old.data))
        else:
            assert new.tensor_type == old.tensor_type
            np.testing.assert_array_equal(new.data, old.data)
    assert told == sorted(told)
    assert told[-1] == 1
    with mapped(target) as data:
        assert not read_header(data).holds(Q4_1)


def test_the_packaged_model_equals_the_reference() -> None:
    """A stretch of the real file's weights becomes the reference's Q8_0 to the last bit."""
    path = locate(CATALOG[0])
    with mapped(path) as data:
        tensor = next(t for t in read_header(data).tensors if t.type == Q4_1)
        blocks = np.frombuffer(data[tensor.start : tensor.start + tensor.size_bytes], np.uint8)
    np.testing.assert_array_equal(requantized(blocks), reference(blocks))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(width=16), st.floats(width=16), st.binary(min_size=16, max_size=16)), min_size=1))
def test_any_finite_block_equals_the_reference(blocks: list[tuple[float, float, bytes]]) -> None:
    """Extreme scales, ties and zeros round as the reference rounds; infinite ones pass without a warning."""
    raw = b"".join(np.array([d, m], "<f2").tobytes() + nibbles for d, m, nibbles in blocks)
    data = np.frombuffer(raw, np.uint8)
    ours = requantized(data).reshape(-1, 34)
    finite = [np.isfinite([d, m]).all() for d, m, _ in blocks]
    with np.errstate(all="ignore"):
        theirs = reference(data).reshape(-1, 34)
    np.testing.assert_array_equal(ours[finite], theirs[finite])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_files_are_refused_or_rewritten(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Cut and bit-flipped files raise Unavailable or nothing."""
    folder = tmp_path_factory.mktemp("damaged")
    write_sample(folder / "in.gguf")
    damaged = bytearray((folder / "in.gguf").read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=6)):
        damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    (folder / "in.gguf").write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    with contextlib.suppress(Unavailable):
        requantize(folder / "in.gguf", folder / "out.gguf", lambda fraction: None)

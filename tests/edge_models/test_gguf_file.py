"""The GGUF header reader, against the `gguf` package and against damage."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_models.catalog import CATALOG
from edge_models.engines.base import Unavailable
from edge_models.gguf_file import BLOCK, MAGIC, Q4_1, mapped, read_header
from edge_models.store import locate


def write_sample(path: Path, alignment: int = 32, chat_template: str | None = "{{ messages }}") -> None:
    """A small model file with a tensor of each kind that matters here."""
    kind = gguf.GGMLQuantizationType
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_custom_alignment(alignment)
    writer.add_name("sample")
    writer.add_context_length(512)
    writer.add_file_type(3)
    writer.add_rope_freq_base(1e5)
    writer.add_token_list(["a", "b", "é", "<|end|>"])
    writer.add_token_types([1, 1, 1, 3])
    writer.add_add_bos_token(False)
    if chat_template is not None:
        writer.add_chat_template(chat_template)
    for name, shape in {"first": (3, 64), "second": (5, 96), "cube": (2, 3, 32)}.items():
        weights = random.normal(scale=0.05, size=shape).astype(np.float32)
        writer.add_tensor(name, gguf.quants.quantize(weights, kind.Q4_1), raw_dtype=kind.Q4_1)
    writer.add_tensor("norm", random.normal(size=(7,)).astype(np.float32))
    weights = random.normal(size=(2, 64)).astype(np.float32)
    writer.add_tensor("eight", gguf.quants.quantize(weights, kind.Q8_0), raw_dtype=kind.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("gguf") / "sample.gguf"
    write_sample(path)
    return path.read_bytes()


def test_agrees_with_the_gguf_package(sample: bytes, tmp_path: Path) -> None:
    """Scalars, and every tensor's name, shape, type and place, are what the `gguf` package reads."""
    path = tmp_path / "sample.gguf"
    path.write_bytes(sample)
    header, theirs = read_header(sample), gguf.GGUFReader(path)
    assert header.fields["general.name"] == "sample"
    assert header.fields["tokenizer.ggml.tokens"] is None
    assert header.fields["tokenizer.ggml.add_bos_token"] is False
    assert set(header.fields) == {key for key in theirs.fields if not key.startswith("GGUF.")}
    assert header.context_tokens == 512
    assert header.holds(Q4_1)
    ours = [(t.name.decode(), list(t.dims), t.type, t.start, t.size_bytes) for t in header.tensors]
    assert ours == [(t.name, t.shape.tolist(), t.tensor_type, t.data_offset, t.n_bytes) for t in theirs.tensors]


def test_reads_the_packaged_model() -> None:
    """The file of the catalogue's model tells its window and its chat template."""
    with mapped(locate(CATALOG[0])) as data:
        header = read_header(data)
    assert header.context_tokens == 8192
    assert header.fields["general.architecture"] == "llama"
    assert len(header.tensors) == 272


def test_every_truncation_is_refused(sample: bytes) -> None:
    """A file that ends too early is Unavailable, wherever it ends."""
    end = max(tensor.start + tensor.size_bytes for tensor in read_header(sample).tensors)
    for length in [*range(min(1500, end)), *range(1500, end, 37), end - 1]:
        with pytest.raises(Unavailable):
            read_header(sample[:length])


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_flipped_bits_are_read_or_refused(sample: bytes, data: st.DataObject) -> None:
    """Damage in the header costs an Unavailable at most."""
    damaged = bytearray(sample)
    for place in data.draw(st.lists(st.integers(0, 1500), min_size=1, max_size=8)):
        damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    with contextlib.suppress(Unavailable):
        read_header(bytes(damaged))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_announced_counts_are_not_believed(tail: bytes, tensors: int, fields: int) -> None:
    """Any counts with any bytes behind them are Unavailable or an empty header, and take no memory."""
    try:
        header = read_header(MAGIC + struct.pack("<IQQ", 3, tensors, fields) + tail)
    except Unavailable:
        return
    assert len(header.tensors) == tensors
    assert len(header.fields) == fields


def test_tensors_that_share_bytes_are_refused(sample: bytes) -> None:
    """A small file can't announce tensors that are larger together than itself."""
    info = struct.pack("<Q", 1) + b"x" + struct.pack("<IQIQ", 1, 64, 0, 0)
    count = 200
    with pytest.raises(Unavailable):
        read_header(MAGIC + struct.pack("<IQQ", 3, count, 0) + info * count + bytes(1000))


def test_unreadable_paths_are_refused(tmp_path: Path) -> None:
    """An empty file, a folder and nothing at all are Unavailable."""
    (tmp_path / "empty").touch()
    for name in ("empty", "", "missing"):
        with pytest.raises(Unavailable), mapped(tmp_path / name):
            pass


def test_block_sizes_are_those_of_the_format() -> None:
    """Each type of weights has the block that the format's own package gives it."""
    from gguf.constants import GGML_QUANT_SIZES

    assert {kind: BLOCK[kind] for kind in BLOCK} == {
        int(kind): size for kind, size in GGML_QUANT_SIZES.items() if kind in BLOCK
    }

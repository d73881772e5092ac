"""The memory estimate: the formula, against the engine's own numbers, and against headers that lie."""

from __future__ import annotations

from pathlib import Path

import gguf
import pytest

from edge_models.catalog import CATALOG
from edge_models.engines.base import Unavailable
from edge_models.gguf_file import Header, mapped, read_header
from edge_models.hub_models import hub_model
from edge_models.memory import Shape, estimate, shape_of
from edge_models.store import locate

FIELDS = {
    "general.architecture": "llama",
    "llama.context_length": 4096,
    "llama.block_count": 30,
    "llama.embedding_length": 576,
    "llama.attention.head_count": 9,
    "llama.attention.head_count_kv": 3,
}


def header(**changes: object) -> Header:
    """A header with these fields, `_` for `.`, and no tensors."""
    fields = FIELDS | {key.replace("__", "."): value for key, value in changes.items()}
    return Header(3, 32, {key: value for key, value in fields.items() if value != "gone"}, 0, 0, None, ())  # type: ignore[misc]


def test_the_packaged_model() -> None:
    """SmolLM2: its weights as they are after requantising, 214 MB of cache as GenAI's metrics say, 0.76 GB as it was measured."""
    with mapped(locate(CATALOG[0])) as data:
        found = estimate(shape_of(read_header(data)), "openvino-genai")

    assert found.context_tokens == 8192
    assert found.weights_bytes == pytest.approx(145e6, rel=0.02)
    assert found.cache_bytes == pytest.approx(214e6, rel=0.01)
    assert found.total_bytes == pytest.approx(776e6, rel=0.05)


def test_the_formula() -> None:
    """Keys and values, for each layer, head and token: bytes with 8 more a vector in OpenVINO, half floats in llama.cpp."""
    shape = shape_of(header())
    assert shape == Shape(0, 4096, 30, 3, 64, 64, 8192)

    assert estimate(shape, "openvino-genai").cache_bytes == 2 * 4096 * 30 * 3 * 2 * 72
    assert estimate(shape, "llama-cpp").cache_bytes == 4096 * 30 * 3 * 2 * 64 * 2
    assert estimate(shape, "llama-cpp", 1024).cache_bytes == 1024 * 30 * 3 * 2 * 64 * 2


def test_widths_of_their_own() -> None:
    """A header's own key and value widths count, and without grouped heads each head has its cache."""
    shape = shape_of(
        header(
            llama__attention__key_length=128, llama__attention__value_length=96, llama__attention__head_count_kv="gone"
        )
    )

    assert (shape.kv_heads, shape.key_width, shape.value_width) == (9, 128, 96)


def test_an_encoder_keeps_no_cache() -> None:
    """What reads everything at once has weights alone."""
    assert estimate(shape_of(header(llama__attention__causal=False)), "llama-cpp").cache_bytes == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"llama__block_count": "gone"},
        {"llama__block_count": None},
        {"llama__attention__head_count": 0},
        {"llama__embedding_length": "gone"},
        {"llama__context_length": "gone"},
        {"llama__block_count": 2**63},
        {"general__architecture": 7},
    ],
)
def test_headers_that_do_not_tell_are_refused(changes: dict[str, object]) -> None:
    """A missing, empty or impossible number is Unavailable."""
    with pytest.raises(Unavailable):
        shape_of(header(**changes))


def test_the_window_is_what_the_engine_reads() -> None:
    """A GGUF model is reckoned with the 8,192 tokens that GenAI's tokenizer lets through."""
    shape = shape_of(header(llama__context_length=131_072))

    assert estimate(shape, "openvino-genai").context_tokens == 8192
    assert estimate(shape, "openvino-genai", 100_000).context_tokens == 8192


def test_the_catalogue_agrees_with_a_header(tmp_path: Path) -> None:
    """The catalogue's numbers and a header with the same numbers give one estimate."""
    model = hub_model("smollm2-360m-instruct")
    assert model
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_context_length(model.context_tokens)
    writer.add_block_count(model.layers)
    writer.add_embedding_length(960)
    writer.add_head_count(15)
    writer.add_head_count_kv(model.kv_heads)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with mapped(tmp_path / "m.gguf") as data:
        shape = shape_of(read_header(data))

    width = model.head_width
    assert shape == Shape(0, 8192, model.layers, model.kv_heads, width, width, 8192)

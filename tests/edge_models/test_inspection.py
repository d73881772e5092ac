"""What a file says of itself, and whether an engine here runs it."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
import pytest

from edge_models.catalog import CATALOG
from edge_models.engines.base import Unavailable
from edge_models.inspection import inspect
from edge_models.memory import Shape
from edge_models.store import locate
from tests.edge_models.test_gguf_file import write_sample


def write(path: Path, architecture: str, quantisation: gguf.GGMLQuantizationType, **more: int) -> Path:
    """A file with one tensor."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(512)
    for key, value in more.items():
        writer.add_uint32(f"{architecture}.{key}", value)
    weights = gguf.quants.quantize(np.zeros((2, 256), np.float32), quantisation)
    writer.add_tensor("w", weights, raw_dtype=quantisation)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_packaged_model() -> None:
    """Architecture, quantisation, size and engine of a real file."""
    seen = inspect(locate(CATALOG[0]))

    assert (seen.form, seen.architecture, seen.quantisation, seen.engine) == (
        "gguf", "llama", "Q4_1", "openvino-genai"
    )  # fmt: skip
    assert seen.size_bytes == CATALOG[0].size_bytes
    assert seen.note == ""
    assert seen.shape
    assert seen.shape.layers == 30


def test_a_file_that_tells_little(tmp_path: Path) -> None:
    """A file without layer counts can be run, and can't be reckoned."""
    write_sample(tmp_path / "m.gguf")

    seen = inspect(tmp_path / "m.gguf")

    assert seen.engine == "openvino-genai"
    assert seen.shape is None


@pytest.mark.parametrize(
    ("architecture", "more", "told"),
    [("gemma3", {}, "no engine here reads its architecture"), ("qwen3", {"pooling_type": 3}, "embeddings")],
)
def test_what_no_engine_runs(architecture: str, more: dict[str, int], told: str, tmp_path: Path) -> None:
    """Other architectures, and embedding models in the clothes of a known one, have no engine and a reason."""
    seen = inspect(write(tmp_path / "m.gguf", architecture, gguf.GGMLQuantizationType.Q8_0, **more))

    assert seen.engine is None
    assert told in seen.note


def test_a_headers_words_are_not_shown_as_they_are(tmp_path: Path) -> None:
    """An architecture that would write to the terminal is called unknown."""
    seen = inspect(write(tmp_path / "m.gguf", "\x1b[31mred", gguf.GGMLQuantizationType.Q8_0))

    assert seen.architecture == "unknown"
    assert seen.engine is None


def test_a_quantisation_that_may_fail_is_cautioned(tmp_path: Path) -> None:
    """Weights that OpenVINO may not read are named before they are loaded."""
    path = write(tmp_path / "m.gguf", "llama", gguf.GGMLQuantizationType.Q5_0)

    assert "Q8_0 or Q4_0" in inspect(path).note


def test_an_openvino_folder(tmp_path: Path) -> None:
    """A folder's numbers come from its config.json, and its window is not bounded by a GGUF tokenizer."""
    for name in ("openvino_model.xml", "openvino_tokenizer.xml", "openvino_detokenizer.xml"):
        (tmp_path / name).write_text("<net></net>")
    (tmp_path / "openvino_model.bin").write_bytes(bytes(1000))
    config = {
        "model_type": "qwen3", "max_position_embeddings": 40960, "num_hidden_layers": 28, "num_attention_heads": 16,
        "num_key_value_heads": 8, "hidden_size": 1024, "head_dim": 128,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))

    seen = inspect(tmp_path)

    assert (seen.form, seen.architecture, seen.engine) == ("openvino", "qwen3", "openvino-genai")
    assert seen.shape == Shape(1000, 40960, 28, 8, 128, 128, 32768)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    """Text, nothing, and a folder without a model are Unavailable."""
    (tmp_path / "readme.gguf").write_text("hello")
    for path in (tmp_path / "readme.gguf", tmp_path / "missing.gguf", tmp_path):
        with pytest.raises(Unavailable):
            inspect(path)

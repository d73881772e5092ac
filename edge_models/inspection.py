"""What a model file or folder is, by its own header, and whether an engine of ours can run it. Nothing is loaded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from edge_models.engines.base import Unavailable
from edge_models.gguf_file import Header, mapped, read_header
from edge_models.memory import Shape, shape_of
from edge_models.plain_files import read_plain

OPENVINO_ARCHITECTURES: Final = frozenset({"llama", "qwen2", "qwen3"})
"""Whose GGUF files OpenVINO GenAI makes a pipeline of (its src/cpp/src/gguf_utils, 2026.4)."""
_READ_WELL: Final = frozenset({0, 1, 2, 3, 8, 30})
"""Tensor types: floats, Q4_0, Q8_0, and Q4_1, which is requantised first."""
_FILE_TYPES: Final = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 10: "Q2_K", 12: "Q3_K_M", 14: "Q4_K_S"} | {
    15: "Q4_K_M",
    17: "Q5_K_M",
    18: "Q6_K",
    32: "BF16",
}
"""llama.h `enum llama_ftype`, the usual ones."""


class Inspected(Struct, frozen=True):
    """A model that is here. engine: the one that can run it, None with the reason in `note`; else `note` is a caution.

    weights: how many numbers it was trained to have; None where its file does not tell.
    """

    path: str
    form: Literal["gguf", "openvino"]
    architecture: str
    quantisation: str
    size_bytes: int
    shape: Shape | None
    engine: str | None
    note: str = ""
    weights: int | None = None


class _Config(Struct, frozen=True):
    """What is read of a Hugging Face config.json."""

    model_type: str = ""
    max_position_embeddings: int = 0
    num_hidden_layers: int = 0
    num_attention_heads: int = 0
    num_key_value_heads: int = 0
    hidden_size: int = 0
    head_dim: int | None = None


_decode_config: Final = msgspec.json.Decoder(_Config).decode


def inspect(path: Path) -> Inspected:
    """Look at a GGUF file or an OpenVINO directory. Raises Unavailable if it is neither, or damaged."""
    return _directory(path) if path.is_dir() else _gguf(path)


def _gguf(path: Path) -> Inspected:
    with mapped(path) as data:
        header = read_header(data)
        size_bytes = len(data)
    try:
        shape = shape_of(header)
    except Unavailable:
        shape = None
    engine, note = _runs(header)
    kind = header.fields.get("general.file_type")
    quantisation = _FILE_TYPES.get(kind, "mixed") if isinstance(kind, int) else "unknown"
    weights = sum(tensor.weights for tensor in header.tensors)
    architecture = _plain(header.architecture)
    return Inspected(str(path), "gguf", architecture, quantisation, size_bytes, shape, engine, note, weights)


def _plain(word: str) -> str:
    """A word of the file that may be shown on a terminal."""
    return word if re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", word) else "unknown"


def _runs(header: Header) -> tuple[str | None, str]:
    architecture = header.architecture
    if header.number("pooling_type") is not None:
        return None, "it makes embeddings, which nothing here serves yet"
    if architecture not in OPENVINO_ARCHITECTURES:
        return (
            None,
            f"no engine here reads its architecture; OpenVINO reads {', '.join(sorted(OPENVINO_ARCHITECTURES))}",
        )
    if header.context_tokens is None:
        return None, "it does not tell its context window"
    if any(tensor.type not in _READ_WELL for tensor in header.tensors):
        return "openvino-genai", "OpenVINO may not read its quantisation; the Q8_0 or Q4_0 edition is read well"
    return "openvino-genai", ""


def _directory(path: Path) -> Inspected:
    from edge_models.store import own_directory  # it loads numpy

    prepared = own_directory(path)
    weights = path / "openvino_model.bin"
    try:
        config = _decode_config(read_plain(path / "config.json"))
        weights_bytes = weights.stat().st_size
        size_bytes = sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    except (OSError, msgspec.MsgspecError) as error:
        raise Unavailable(
            "the model's directory can't be read: check its openvino_model.bin and config.json"
        ) from error
    heads = config.num_attention_heads
    width = config.head_dim or (config.hidden_size // heads if heads > 0 else 0)
    shape = None
    if min(config.num_hidden_layers, width, heads) > 0:
        kv_heads = config.num_key_value_heads if config.num_key_value_heads > 0 else heads
        shape = Shape(weights_bytes, prepared.context_tokens, config.num_hidden_layers, kv_heads, width, width)
    return Inspected(str(path), "openvino", _plain(config.model_type), "", size_bytes, shape, "openvino-genai")

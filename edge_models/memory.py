"""How much memory a model takes, reckoned from its numbers before it is loaded.

Theory. An engine holds the weights, and a cache of what it has read: for each token, each layer and each key-value head, a
key and a value of one head's width. OpenVINO keeps the cache in bytes, with a scale and a zero point of four bytes each for
every vector, so that a token costs 2 x layers x heads x (width + 8) bytes; llama.cpp keeps half floats: 2 x layers x heads x
width x 2. On top of that come the engine itself and its working memory, which were measured (see `_FIXED_BYTES`).

The sum is what a busy model comes to. The cache is taken as it is touched, so an idle one has less.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from edge_models.engines.base import Unavailable
from edge_models.gguf_file import BLOCK, Q4_1, Q8_0, Header

WINDOWS: Final = 2
"""How many full windows OpenVINO GenAI's key-value cache holds: 214 MB for SmolLM2, taken as it is touched.

One is the least with which GenAI never drops a request. Over it, eight requests of 1,100 tokens took 8.5 s instead of
6.9, since GenAI puts some aside and reads their prompts again; eight full windows would take 855 MB.
"""
MOST_CONTEXT_TOKENS: Final = 32_768  # 4 GB of cache for an 8B model with 8 key-value heads (64 kB a token, computed)
GGUF_CONTEXT_TOKENS: Final = 8_192
"""What the tokenizer that GenAI makes of a GGUF file lets through: see engines/openvino_genai.py."""
_FIXED_BYTES: Final = {"openvino-genai": 400_000_000, "llama-cpp": 150_000_000}
"""Of OpenVINO GenAI: what stays of a busy process when weights and touched cache are taken off: 409 MB with SmolLM2-135M in
Q8_0 (145 MB), 342 MB with the same layers four times over (484 MB). Of llama.cpp: of a loaded process, not of a busy one."""
_OPENVINO_EXTRA: Final = (
    8  # bytes: scale and zero point; 0.417 MB a block of 32 tokens of SmolLM2, by GenAI's own metrics
)
_Q4_1_GROWS: Final = BLOCK[Q8_0][1] / BLOCK[Q4_1][1]  # store.py requantises it
_MOST: Final = 1 << 24
"""Of layers, heads or widths: a header that announces more is no model's."""


class Shape(Struct, frozen=True):
    """The numbers that memory depends on. layers 0: there is no cache. context_limit: what the engine reads at most."""

    weights_bytes: int
    context_tokens: int
    layers: int
    kv_heads: int
    key_width: int
    value_width: int
    context_limit: int = MOST_CONTEXT_TOKENS


class Estimate(Struct, frozen=True):
    """What a busy model comes to. context_tokens: the window that it is reckoned for; windows: how many of them are kept."""

    engine: str
    context_tokens: int
    windows: int
    weights_bytes: int
    cache_bytes: int
    fixed_bytes: int

    @property
    def total_bytes(self) -> int:
        """All of it."""
        return self.weights_bytes + self.cache_bytes + self.fixed_bytes


def estimate(shape: Shape, engine: str, context_tokens: int | None = None) -> Estimate:
    """Reckon with a window of `context_tokens`, or with the one that the engine would take.

    An engine that has no numbers here counts as llama.cpp.
    """
    window = min(shape.context_tokens, shape.context_limit, context_tokens or shape.context_tokens)
    openvino = engine == "openvino-genai"
    key, value = (width + _OPENVINO_EXTRA if openvino else width * 2 for width in (shape.key_width, shape.value_width))
    windows = WINDOWS if openvino else 1
    cache = window * windows * shape.layers * shape.kv_heads * (key + value)
    fixed = _FIXED_BYTES.get(engine, _FIXED_BYTES["llama-cpp"])
    return Estimate(engine, window, windows, shape.weights_bytes, cache, fixed)


def shape_of(header: Header) -> Shape:
    """A GGUF file's numbers. Raises Unavailable if it does not tell them."""
    weights = sum(int(t.size_bytes * _Q4_1_GROWS) if t.type == Q4_1 else t.size_bytes for t in header.tensors)
    if header.context_tokens is None:
        raise Unavailable("the model file does not tell its context window; take another edition of the model")
    context_tokens = min(header.context_tokens, _MOST)
    if header.number("attention.causal") == 0:  # an encoder keeps no cache
        return Shape(weights, context_tokens, 0, 0, 0, 0)
    heads, width = header.number("attention.head_count"), header.number("embedding_length")
    layers = header.number("block_count")
    if not layers or not heads or not width:
        raise Unavailable("the model file does not tell its layers and heads; its memory can't be reckoned")
    kv_heads = header.number("attention.head_count_kv") or heads
    key = header.number("attention.key_length") or width // heads
    value = header.number("attention.value_length") or width // heads
    if max(layers, kv_heads, key, value) > _MOST:
        raise Unavailable("the model file announces impossible numbers of layers or heads")
    return Shape(weights, context_tokens, layers, kv_heads, key, value, GGUF_CONTEXT_TOKENS)

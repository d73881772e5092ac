"""LM Studio's REST API, v0: the shape of its model list (lmstudio.ai/docs/developer/rest/endpoints).

Zed's reader is strict: it knows `gguf` and `mlx` for compatibility_type, and needs a number for max_context_length.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType


class Model(Struct, frozen=True, kw_only=True):
    id: str
    object: str = "model"
    type: str
    publisher: str
    arch: str
    compatibility_type: str = "gguf"
    quantization: str
    state: str
    max_context_length: int
    loaded_context_length: int | UnsetType = UNSET
    capabilities: list[str]


class ModelList(Struct, frozen=True):
    data: list[Model]
    object: str = "list"

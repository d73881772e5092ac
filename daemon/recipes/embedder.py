"""The embedder that a recipe's thresholds of likeness were chosen for, as far as its `global` tells."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

RELATED: Final = 0.5
"""Upstream's `min_score_threshold`, if a recipe has none: below it, nothing counts as like anything."""
OURS: Final = frozenset({"bert"})
"""Upstream's `model_type` for all-MiniLM-L12-v2: trained as the shipped encoder was, and of its scale."""
_OUR_NAME: Final = "minilm"


class Embedder(Struct, frozen=True):
    """related: the score where likeness begins to count. soft: whether the best rule may match from there on. ours: whether
    its scale is the shipped encoder's.
    """

    related: float = RELATED
    soft: bool = True
    ours: bool = False


UPSTREAMS: Final = Embedder()
"""Of a recipe that names none: upstream's default."""


class _Config(Struct, frozen=True):
    model_type: str = ""
    min_score_threshold: Annotated[float, Meta(ge=0, lt=1)] | None = None
    enable_soft_matching: bool = True


class _Endpoint(Struct, frozen=True):
    model: str = ""


class _Semantic(Struct, frozen=True):
    embedding_config: _Config = _Config()
    endpoint: _Endpoint | None = None


class _Embeddings(Struct, frozen=True):
    semantic: _Semantic = _Semantic()


class _Catalog(Struct, frozen=True):
    embeddings: _Embeddings = _Embeddings()


class _Global(Struct, frozen=True):
    model_catalog: _Catalog = _Catalog()


def embedder_of(global_: object) -> Embedder:
    """What a file's `global.model_catalog.embeddings.semantic` says; what can't be read there says nothing."""
    if global_ is None:
        return UPSTREAMS
    try:
        semantic = msgspec.convert(global_, _Global).model_catalog.embeddings.semantic
    except msgspec.ValidationError:
        return UPSTREAMS  # a machine's section: upstream judges it
    config = semantic.embedding_config
    remote = semantic.endpoint.model if semantic.endpoint and config.model_type == "remote" else ""
    return Embedder(
        related=config.min_score_threshold or RELATED,  # 0 means unset to upstream
        soft=config.enable_soft_matching,
        ours=config.model_type in OURS or _OUR_NAME in remote.lower(),
    )

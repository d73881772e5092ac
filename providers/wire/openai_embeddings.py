"""OpenAI Embeddings: the shapes on the wire.

Inbound fields are what the API reference documents; unknown ones are ignored here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct


class EmbeddingRequest(Struct, frozen=True):
    """The body of POST /v1/embeddings. input: texts, or tokens as numbers, which only their own model understands."""

    model: Annotated[str, Meta(min_length=1, max_length=200)]
    input: str | list[Any]
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int, Meta(ge=1)] | None = None


class Embedding(Struct, frozen=True):
    """One vector. embedding: numbers, or 32-bit floats in base64, the lowest byte first."""

    index: int
    embedding: list[float] | str
    object: str = "embedding"


class EmbeddingUsage(Struct, frozen=True):
    prompt_tokens: int
    total_tokens: int


class EmbeddingList(Struct, frozen=True):
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage
    object: str = "list"

"""OpenAI's legacy Completions: the shapes on the wire, both ways."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from providers.wire.openai_chat import Penalty, StreamOptions, TokenCount, Usage


class CompletionRequest(Struct, frozen=True):
    """The body of POST /v1/completions. prompt: texts, or tokens as numbers, which only their own model understands."""

    model: Annotated[str, Meta(min_length=1, max_length=200)]
    prompt: str | list[Any] | None = None
    suffix: str | None = None
    echo: bool | None = None
    best_of: int | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: TokenCount | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | None = None
    stop: str | tuple[str, ...] | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None
    n: Annotated[int, Meta(ge=1, le=128)] | None = None


class Logprobs(Struct, frozen=True):
    """Columns, one entry a token. text_offset: in characters of the answer."""

    tokens: list[str]
    token_logprobs: list[float]
    top_logprobs: list[dict[str, float]] | None
    text_offset: list[int]


class Choice(Struct, frozen=True):
    """reasoning_content: not OpenAI's; this protocol has no place for thoughts."""

    index: int
    text: str
    logprobs: Logprobs | None = None
    finish_reason: str | None = None
    reasoning_content: str | UnsetType = UNSET


class Completion(Struct, frozen=True):
    """A whole answer, or one `data:` frame of a streamed one. usage UNSET: not asked for; None: not yet."""

    id: str
    created: int
    model: str
    choices: list[Choice]
    usage: Usage | UnsetType | None = UNSET
    object: str = "text_completion"
    system_fingerprint: None = None

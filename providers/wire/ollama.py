"""Ollama's native API: the shapes on the wire, both ways (github.com/ollama/ollama, docs/api.md and api/types.go, 0.13).

Inbound, unknown fields are ignored here and named by the codec. Outbound, every field is written that a strict client
requires: Zed's and ollama-rs' readers fail at one that is absent, Roo Code drops the whole list.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

ModelName = Annotated[str, Meta(min_length=1, max_length=200)]
Duration = float | str
"""Seconds, or Go's form of a duration, as in 5m or 1h30m."""
Format = str | dict[str, Any]
Think = bool | str

# ---- a request ------------------------------------------------------------------------------------------------------


class Options(Struct, frozen=True):
    """What of `options` is honoured."""

    num_predict: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    top_k: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | None = None
    stop: str | tuple[str, ...] | None = None
    presence_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None


class CalledFunction(Struct, frozen=True):
    name: str
    arguments: Raw = Raw(b"{}")
    """An object, and not its text."""


class CallMade(Struct, frozen=True):
    function: CalledFunction
    id: str | None = None


class ChatMessage(Struct, frozen=True):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | None = None
    thinking: str | None = None
    images: tuple[str, ...] | None = None
    tool_calls: tuple[CallMade, ...] | None = None
    tool_name: str | None = None
    name: str | None = None
    tool_call_id: str | None = None


class Function(Struct, frozen=True):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(Struct, frozen=True):
    function: Function
    type: Literal["function"] | None = None


class _Asked(Struct, frozen=True, kw_only=True):
    """What both ways of asking have."""

    model: ModelName
    stream: bool | None = None
    format: Format | None = None
    options: dict[str, Any] | None = None
    keep_alive: Duration | None = None
    think: Think | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None


class ChatRequest(_Asked, frozen=True, kw_only=True):
    """The body of POST /api/chat. Without messages, the model is only loaded."""

    messages: tuple[ChatMessage, ...] | None = None
    tools: tuple[Tool, ...] | None = None


class GenerateRequest(_Asked, frozen=True, kw_only=True):
    """The body of POST /api/generate. Without a prompt, the model is only loaded."""

    prompt: str | None = None
    system: str | None = None
    images: tuple[str, ...] | None = None
    suffix: str | None = None
    template: str | None = None
    raw: bool | None = None
    context: tuple[int, ...] | None = None


class NameRequest(Struct, frozen=True):
    """The body of show, delete and pull. `name` is the older word."""

    model: str | None = None
    name: str | None = None
    stream: bool | None = None
    insecure: bool | None = None


class EmbedRequest(Struct, frozen=True):
    """The body of POST /api/embed."""

    model: ModelName
    input: str | tuple[str, ...] = ()
    truncate: bool | None = None
    dimensions: int | None = None
    keep_alive: Duration | None = None
    options: dict[str, Any] | None = None


class EmbeddingsRequest(Struct, frozen=True):
    """The body of POST /api/embeddings, its older form."""

    model: ModelName
    prompt: str = ""
    keep_alive: Duration | None = None
    options: dict[str, Any] | None = None


# ---- an answer ------------------------------------------------------------------------------------------------------


class FunctionAnswered(Struct, frozen=True):
    index: int
    name: str
    arguments: Raw


class CallAnswered(Struct, frozen=True):
    id: str
    function: FunctionAnswered


class TopLogprob(Struct, frozen=True):
    token: str
    logprob: float
    bytes: list[int]


class TokenLogprob(Struct, frozen=True):
    token: str
    logprob: float
    bytes: list[int]
    top_logprobs: list[TopLogprob] | UnsetType = UNSET


class AnswerMessage(Struct, frozen=True):
    role: str
    content: str
    thinking: str | UnsetType = UNSET
    tool_calls: list[CallAnswered] | UnsetType = UNSET


class Tally(Struct, frozen=True):
    """What the last line of an answer counts. Times are nanoseconds."""

    total_duration: int
    load_duration: int
    prompt_eval_count: int
    prompt_eval_duration: int
    eval_count: int
    eval_duration: int


class ChatAnswer(Struct, frozen=True, kw_only=True):
    """A whole answer, or one line of it."""

    model: str
    created_at: str
    message: AnswerMessage
    done: bool
    done_reason: str | UnsetType = UNSET
    logprobs: list[TokenLogprob] | UnsetType = UNSET
    total_duration: int | UnsetType = UNSET
    load_duration: int | UnsetType = UNSET
    prompt_eval_count: int | UnsetType = UNSET
    prompt_eval_duration: int | UnsetType = UNSET
    eval_count: int | UnsetType = UNSET
    eval_duration: int | UnsetType = UNSET


class GenerateAnswer(Struct, frozen=True, kw_only=True):
    """A whole answer, or one line of it."""

    model: str
    created_at: str
    response: str
    done: bool
    thinking: str | UnsetType = UNSET
    done_reason: str | UnsetType = UNSET
    logprobs: list[TokenLogprob] | UnsetType = UNSET
    total_duration: int | UnsetType = UNSET
    load_duration: int | UnsetType = UNSET
    prompt_eval_count: int | UnsetType = UNSET
    prompt_eval_duration: int | UnsetType = UNSET
    eval_count: int | UnsetType = UNSET
    eval_duration: int | UnsetType = UNSET


class Error(Struct, frozen=True):
    """A refusal, and the line that ends a stream. code: ours, for programs."""

    error: str
    code: str


# ---- lists ----------------------------------------------------------------------------------------------------------


class Details(Struct, frozen=True):
    parent_model: str
    format: str
    family: str
    families: list[str]
    parameter_size: str
    quantization_level: str


class Listed(Struct, frozen=True):
    name: str
    model: str
    modified_at: str
    size: int
    digest: str
    details: Details
    capabilities: list[str]


class Tags(Struct, frozen=True):
    """GET /api/tags."""

    models: list[Listed]


class Running(Struct, frozen=True):
    name: str
    model: str
    size: int
    digest: str
    details: Details
    expires_at: str
    size_vram: int
    context_length: int


class Ps(Struct, frozen=True):
    """GET /api/ps."""

    models: list[Running]


class Shown(Struct, frozen=True):
    """POST /api/show."""

    license: str
    modelfile: str
    parameters: str
    template: str
    details: Details
    model_info: dict[str, Any]
    capabilities: list[str]
    modified_at: str


class Version(Struct, frozen=True):
    """GET /api/version. version: of the API that is spoken. nearloop: our own."""

    version: str
    nearloop: str


class Embedded(Struct, frozen=True):
    """POST /api/embed."""

    model: str
    embeddings: list[list[float]]
    total_duration: int
    load_duration: int
    prompt_eval_count: int


class Embedding(Struct, frozen=True):
    """POST /api/embeddings."""

    embedding: list[float]


class PullLine(Struct, frozen=True):
    """One line of POST /api/pull."""

    status: str
    digest: str | UnsetType = UNSET
    total: int | UnsetType = UNSET
    completed: int | UnsetType = UNSET

"""OpenAI Chat Completions: the shapes on the wire, both ways.

Inbound fields are what the API reference documents; unknown ones are ignored here and kept by the codec. Outbound shapes
write every field that clients read, absent ones as null, as OpenAI does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

# ---- a request ------------------------------------------------------------------------------------------------------


class TextPart(Struct, frozen=True, tag_field="type", tag="text"):
    text: str


class ImageUrl(Struct, frozen=True):
    url: str
    detail: str | None = None


class ImagePart(Struct, frozen=True, tag_field="type", tag="image_url"):
    image_url: ImageUrl


class RefusalPart(Struct, frozen=True, tag_field="type", tag="refusal"):
    refusal: str


class FileBody(Struct, frozen=True):
    file_id: str | None = None
    file_data: str | None = None
    filename: str | None = None


class FilePart(Struct, frozen=True, tag_field="type", tag="file"):
    file: FileBody


class AudioBody(Struct, frozen=True):
    data: str
    format: str


class AudioPart(Struct, frozen=True, tag_field="type", tag="input_audio"):
    input_audio: AudioBody


ContentPart = TextPart | ImagePart | RefusalPart | FilePart | AudioPart


class CalledFunction(Struct, frozen=True):
    name: str
    arguments: str = ""


class CallMade(Struct, frozen=True):
    id: str
    function: CalledFunction
    type: Literal["function"] = "function"


class ChatMessage(Struct, frozen=True):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | tuple[ContentPart, ...] | None = None
    tool_calls: tuple[CallMade, ...] | None = None
    function_call: CalledFunction | None = None
    tool_call_id: str | None = None
    name: str | None = None
    audio: Any = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    """Other servers' name for it, which clients send back."""


class Function(Struct, frozen=True):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    annotations: Any = None


class FunctionTool(Struct, frozen=True):
    """annotations: an MCP client's, which stand beside or in the function; not OpenAI's."""

    type: Literal["function"]
    function: Function
    annotations: Any = None


class FunctionName(Struct, frozen=True):
    name: str


class NamedTool(Struct, frozen=True):
    function: FunctionName
    type: Literal["function"] = "function"


class JsonSchema(Struct, frozen=True):
    name: str
    schema: dict[str, Any] | None = None
    description: str | None = None
    strict: bool | None = None


class ResponseFormat(Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StreamOptions(Struct, frozen=True):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


TokenCount = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Penalty = Annotated[float, Meta(ge=-2, le=2)]


class ChatRequest(Struct, frozen=True):
    """The body of POST /v1/chat/completions."""

    model: Annotated[str, Meta(min_length=1, max_length=200)]
    messages: Annotated[tuple[ChatMessage, ...], Meta(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: TokenCount | None = None
    max_completion_tokens: TokenCount | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | None = None
    stop: str | tuple[str, ...] | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None
    n: Annotated[int, Meta(ge=1, le=128)] | None = None
    tools: tuple[FunctionTool, ...] | None = None
    tool_choice: Literal["none", "auto", "required"] | NamedTool | None = None
    parallel_tool_calls: bool | None = None
    response_format: ResponseFormat | None = None


# ---- an answer ------------------------------------------------------------------------------------------------------


class TopLogprob(Struct, frozen=True):
    token: str
    logprob: float
    bytes: list[int]


class TokenLogprob(Struct, frozen=True):
    token: str
    logprob: float
    bytes: list[int]
    top_logprobs: list[TopLogprob]


class Logprobs(Struct, frozen=True):
    content: list[TokenLogprob]
    refusal: None = None


class FunctionDelta(Struct, frozen=True, omit_defaults=True):
    name: str | UnsetType = UNSET
    arguments: str | UnsetType = UNSET


class CallDelta(Struct, frozen=True, omit_defaults=True):
    index: int
    id: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    function: FunctionDelta | UnsetType = UNSET


class ChunkDelta(Struct, frozen=True, omit_defaults=True):
    role: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    reasoning_content: str | UnsetType = UNSET
    tool_calls: list[CallDelta] | UnsetType = UNSET


class ChunkChoice(Struct, frozen=True):
    index: int
    delta: ChunkDelta
    logprobs: Logprobs | None = None
    finish_reason: str | None = None


class PromptDetails(Struct, frozen=True):
    cached_tokens: int


class CompletionDetails(Struct, frozen=True):
    reasoning_tokens: int


class Usage(Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails
    completion_tokens_details: CompletionDetails


class Chunk(Struct, frozen=True):
    """One `data:` frame of a streamed answer. usage UNSET: not asked for; None: not yet."""

    id: str
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | UnsetType | None = UNSET
    object: str = "chat.completion.chunk"
    system_fingerprint: None = None


class AnswerMessage(Struct, frozen=True, omit_defaults=True):
    role: str
    content: str | None
    refusal: UnsetType | None = UNSET
    reasoning_content: str | UnsetType = UNSET
    tool_calls: list[CallMade] | UnsetType = UNSET


class AnswerChoice(Struct, frozen=True):
    index: int
    message: AnswerMessage
    finish_reason: str
    logprobs: Logprobs | None = None


class Completion(Struct, frozen=True):
    """A whole answer."""

    id: str
    created: int
    model: str
    choices: list[AnswerChoice]
    usage: Usage
    object: str = "chat.completion"
    system_fingerprint: None = None


class ErrorBody(Struct, frozen=True):
    message: str
    type: str
    param: str | None = None
    code: str | None = None


class Error(Struct, frozen=True):
    """A refusal; also the one in-band error channel of a stream."""

    error: ErrorBody


class Model(Struct, frozen=True):
    id: str
    created: int
    owned_by: str
    context_length: int | None
    object: str = "model"
    output_modalities: tuple[str, ...] | UnsetType = UNSET


class ModelList(Struct, frozen=True):
    """models: for Codex alone."""

    data: list[Model]
    object: str = "list"
    models: tuple[()] | UnsetType = UNSET

"""OpenAI Responses: the shapes on the wire, both ways.

Inbound fields are what the API reference documents; unknown ones are ignored here and kept by the codec. Items and tools are
read one by one, since a kind that is not known here may be left aside or refused by its name. Outbound shapes write every
field that clients read.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from providers.wire.openai_chat import TokenCount

SUMMARY: Final = "reasoning.summary"
SEALED: Final = "reasoning.encrypted_content"
"""Fields that only this protocol has, as extras: which summary of the reasoning is wanted, and that it is wanted sealed."""
ONLY_HERE: Final = frozenset({SUMMARY, SEALED})

# ---- a request ------------------------------------------------------------------------------------------------------


class Format(Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    schema: dict[str, Any] | None = None
    strict: bool | None = None
    description: str | None = None


class TextOptions(Struct, frozen=True):
    format: Format | None = None
    verbosity: str | None = None


class ReasoningOptions(Struct, frozen=True):
    effort: str | None = None
    summary: str | None = None


class StreamOptions(Struct, frozen=True):
    include_obfuscation: bool | None = None


class ResponseRequest(Struct, frozen=True):
    """The body of POST /v1/responses."""

    model: Annotated[str, Meta(min_length=1, max_length=200)]
    input: str | tuple[Raw, ...] | None = None
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    background: bool | None = None
    conversation: Any = None
    prompt: Any = None
    max_output_tokens: TokenCount | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    include: tuple[str, ...] | None = None
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None
    tools: tuple[Raw, ...] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    text: TextOptions | None = None
    reasoning: ReasoningOptions | None = None
    truncation: Literal["auto", "disabled"] | None = None
    metadata: Annotated[dict[str, str], Meta(max_length=16)] | None = None


class CountRequest(ResponseRequest, frozen=True):
    """The body of POST /v1/responses/input_tokens."""

    model: Annotated[str, Meta(min_length=1, max_length=200)] = "auto"


class Kind(Struct, frozen=True):
    """Of an item, a part or a tool."""

    type: str | None = None


class Reference(Struct, frozen=True):
    """An item that stands for one of an earlier answer."""

    id: str | None = None
    type: str | None = None


class InputText(Struct, frozen=True, tag_field="type", tag="input_text"):
    text: str


class OutputTextSaid(Struct, frozen=True, tag_field="type", tag="output_text"):
    text: str


class PlainText(Struct, frozen=True, tag_field="type", tag="text"):
    """Chat's name, which some clients send."""

    text: str


class RefusalSaid(Struct, frozen=True, tag_field="type", tag="refusal"):
    refusal: str


class InputImage(Struct, frozen=True, tag_field="type", tag="input_image"):
    image_url: str | None = None
    file_id: str | None = None
    detail: str | None = None


class InputFile(Struct, frozen=True, tag_field="type", tag="input_file"):
    file_data: str | None = None
    file_id: str | None = None
    file_url: str | None = None
    filename: str | None = None


class InputAudio(Struct, frozen=True, tag_field="type", tag="input_audio"):
    input_audio: Any = None


InputPart = InputText | OutputTextSaid | PlainText | RefusalSaid | InputImage | InputFile | InputAudio


class MessageItem(Struct, frozen=True):
    role: Literal["user", "assistant", "system", "developer"]
    content: str | tuple[InputPart, ...]


class CallItem(Struct, frozen=True):
    call_id: str
    name: str
    arguments: str = ""
    namespace: str | None = None


class CustomCallItem(Struct, frozen=True):
    call_id: str
    name: str
    input: str = ""


class CallOutputItem(Struct, frozen=True):
    call_id: str
    output: str | tuple[InputPart, ...]


class ReasoningText(Struct, frozen=True):
    text: str


class ReasoningItem(Struct, frozen=True):
    summary: tuple[ReasoningText, ...] | None = None
    content: tuple[ReasoningText, ...] | None = None
    encrypted_content: str | None = None


class ToolFormat(Struct, frozen=True):
    type: str | None = None


class FunctionTool(Struct, frozen=True):
    """A function, or a tool of free text."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None
    format: ToolFormat | None = None
    runs_async: Any = field(name="async", default=None)
    allowed_callers: Any = None
    defer_loading: Any = None
    output_schema: Any = None
    annotations: Any = None


class NamespaceTool(Struct, frozen=True):
    """Functions under one name."""

    name: str
    tools: tuple[Raw, ...]


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


class OutputText(Struct, frozen=True):
    text: str
    logprobs: list[TokenLogprob]
    annotations: tuple[()] = ()
    type: str = "output_text"


class Message(Struct, frozen=True):
    id: str
    status: str
    content: list[OutputText]
    role: str = "assistant"
    type: str = "message"


class ReasoningPart(Struct, frozen=True):
    text: str
    type: str = "reasoning_text"


class Reasoning(Struct, frozen=True):
    """encrypted_content: opaque, byte-exact; to be sent back."""

    id: str
    status: str
    content: list[ReasoningPart]
    encrypted_content: str | None = None
    summary: tuple[()] = ()
    type: str = "reasoning"


class FunctionCall(Struct, frozen=True):
    id: str
    status: str
    call_id: str
    name: str
    arguments: str
    type: str = "function_call"
    namespace: str | UnsetType = UNSET


class CustomCall(Struct, frozen=True):
    id: str
    status: str
    call_id: str
    name: str
    input: str
    type: str = "custom_tool_call"


Item = Message | Reasoning | FunctionCall | CustomCall


class InputDetails(Struct, frozen=True):
    cached_tokens: int
    cache_write_tokens: int = 0


class OutputDetails(Struct, frozen=True):
    reasoning_tokens: int


class Usage(Struct, frozen=True):
    input_tokens: int
    input_tokens_details: InputDetails
    output_tokens: int
    output_tokens_details: OutputDetails
    total_tokens: int


class IncompleteDetails(Struct, frozen=True):
    reason: str


class Failure(Struct, frozen=True):
    code: str
    message: str


class Response(Struct, frozen=True):
    """An answer, at any point of its life."""

    id: str
    created_at: int
    status: str
    model: str
    output: list[Item]
    usage: Usage | None
    error: Failure | None
    incomplete_details: IncompleteDetails | None
    instructions: str | None
    previous_response_id: str | None
    store: bool
    max_output_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_logprobs: int
    tools: tuple[Raw, ...]
    tool_choice: str | dict[str, Any]
    parallel_tool_calls: bool
    text: TextOptions
    reasoning: ReasoningOptions
    metadata: dict[str, str]
    truncation: str = "disabled"
    background: bool = False
    object: str = "response"
    completed_at: int | None = None


class Lifecycle(Struct, frozen=True):
    """`response.created`, `response.completed` and their like."""

    type: str
    sequence_number: int
    response: Response


class ItemEvent(Struct, frozen=True):
    type: str
    sequence_number: int
    output_index: int
    item: Item


class PartEvent(Struct, frozen=True):
    type: str
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int
    part: OutputText | ReasoningPart


class WordsEvent(Struct, frozen=True):
    """New words, or all of them: `delta` or `text` of a text or a thought. logprobs: of texts alone."""

    type: str
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int
    delta: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    logprobs: list[TokenLogprob] | UnsetType = UNSET


class CallEvent(Struct, frozen=True):
    """New arguments of a call, or all of them: `delta`, or `arguments`, or `input`."""

    type: str
    sequence_number: int
    item_id: str
    output_index: int
    delta: str | UnsetType = UNSET
    arguments: str | UnsetType = UNSET
    input: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class ErrorEvent(Struct, frozen=True):
    sequence_number: int
    code: str
    message: str
    param: str | None
    type: str = "error"


# ---- what is kept ---------------------------------------------------------------------------------------------------


class Deleted(Struct, frozen=True):
    id: str
    object: str = "response"
    deleted: bool = True


class ItemList(Struct, frozen=True):
    data: list[dict[str, Any]]
    first_id: str | None
    last_id: str | None
    has_more: bool
    object: str = "list"


class InputTokens(Struct, frozen=True):
    input_tokens: int
    object: str = "response.input_tokens"

"""Anthropic Messages: the shapes on the wire, both ways.

Inbound fields are what the API reference documents; unknown ones are ignored here and kept by the codec. Outbound shapes
write the fields that the official SDKs require, absent ones as null.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

# ---- a request ------------------------------------------------------------------------------------------------------


class TextBlock(Struct, frozen=True, tag_field="type", tag="text"):
    text: str
    cache_control: Any = None
    citations: Any = None


class Source(Struct, frozen=True):
    """Of an image or a document: `base64`, `url`, `text`, `content` or `file`."""

    type: str
    media_type: str = ""
    data: str = ""
    url: str = ""
    content: str | tuple[TextBlock | ImageBlock, ...] = ""


class ImageBlock(Struct, frozen=True, tag_field="type", tag="image"):
    source: Source
    cache_control: Any = None
    transformations: Any = None


class CitationsWanted(Struct, frozen=True):
    enabled: bool | None = None


class DocumentBlock(Struct, frozen=True, tag_field="type", tag="document"):
    source: Source
    title: str | None = None
    context: str | None = None
    citations: CitationsWanted | None = None
    cache_control: Any = None


class SearchResultBlock(Struct, frozen=True, tag_field="type", tag="search_result"):
    source: str
    title: str
    content: tuple[TextBlock, ...]
    citations: CitationsWanted | None = None
    cache_control: Any = None


class ThinkingBlock(Struct, frozen=True, tag_field="type", tag="thinking"):
    thinking: str
    signature: str = ""


class RedactedBlock(Struct, frozen=True, tag_field="type", tag="redacted_thinking"):
    data: str


class ToolUseBlock(Struct, frozen=True, tag_field="type", tag="tool_use"):
    id: str
    name: str
    input: dict[str, Any]
    cache_control: Any = None
    toolset_name: Any = None


ResultBlock = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock


class ToolResultBlock(Struct, frozen=True, tag_field="type", tag="tool_result"):
    tool_use_id: str
    content: str | tuple[ResultBlock, ...] | None = None
    is_error: bool | None = None
    cache_control: Any = None
    toolset_name: Any = None


Block = (
    TextBlock
    | ImageBlock
    | DocumentBlock
    | SearchResultBlock
    | ThinkingBlock
    | RedactedBlock
    | ToolUseBlock
    | ToolResultBlock
)


class Turn(Struct, frozen=True):
    role: Literal["user", "assistant", "system"]
    content: str | tuple[Block, ...]


class Tool(Struct, frozen=True):
    """type: absent or `custom` for the client's own; anything else has its schema, or its work, at Anthropic's."""

    name: str
    input_schema: dict[str, Any] | None = None
    description: str | None = None
    type: str | None = None
    cache_control: Any = None
    strict: bool | None = None
    input_examples: Any = None
    defer_loading: Any = None
    allowed_callers: Any = None
    eager_input_streaming: Any = None
    annotations: Any = None


class ToolChoice(Struct, frozen=True):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool | None = None


class Thinking(Struct, frozen=True):
    """type: `enabled`, `adaptive`, `disabled`, `between_tools`. display: `summarized` or `omitted`."""

    type: str
    budget_tokens: int | None = None
    display: str | None = None


class OutputFormat(Struct, frozen=True):
    type: Literal["json_schema"]
    schema: dict[str, Any]


class OutputConfig(Struct, frozen=True):
    effort: str | None = None
    format: OutputFormat | None = None


class Metadata(Struct, frozen=True):
    user_id: str | None = None


class CountRequest(Struct, frozen=True, kw_only=True):
    """The body of POST /v1/messages/count_tokens."""

    model: Annotated[str, Meta(min_length=1, max_length=200)]
    messages: Annotated[tuple[Turn, ...], Meta(min_length=1)]
    system: str | tuple[TextBlock, ...] | None = None
    tools: tuple[Tool, ...] | None = None
    tool_choice: ToolChoice | None = None
    thinking: Thinking | None = None
    output_config: OutputConfig | None = None
    output_format: OutputFormat | None = None
    cache_control: Any = None


class MessagesRequest(CountRequest, frozen=True, kw_only=True):
    """The body of POST /v1/messages."""

    max_tokens: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    stream: bool | None = None
    stop_sequences: tuple[str, ...] | None = None
    temperature: Annotated[float, Meta(ge=0, le=1)] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1)] | None = None
    top_k: Annotated[int, Meta(ge=0)] | None = None
    metadata: Metadata | None = None


# ---- an answer ------------------------------------------------------------------------------------------------------


class CacheCreation(Struct, frozen=True):
    ephemeral_1h_input_tokens: int = 0
    ephemeral_5m_input_tokens: int = 0


class OutputDetails(Struct, frozen=True):
    thinking_tokens: int


class Usage(Struct, frozen=True):
    """input_tokens: without those that were read from a cache, unlike OpenAI's."""

    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_creation: CacheCreation = CacheCreation()
    output_tokens_details: OutputDetails | UnsetType = UNSET
    service_tier: str = "standard"


class TextAnswer(Struct, frozen=True):
    text: str
    type: str = "text"
    citations: None = None


class ThinkingAnswer(Struct, frozen=True):
    thinking: str
    signature: str
    type: str = "thinking"


class RedactedAnswer(Struct, frozen=True):
    data: str
    type: str = "redacted_thinking"


class ToolUseAnswer(Struct, frozen=True):
    id: str
    name: str
    input: dict[str, Any]
    type: str = "tool_use"


AnswerBlock = TextAnswer | ThinkingAnswer | RedactedAnswer | ToolUseAnswer


class Message(Struct, frozen=True):
    """A whole answer, and what opens a streamed one."""

    id: str
    model: str
    content: list[TextAnswer | ThinkingAnswer | RedactedAnswer | ToolUseAnswer]
    usage: Usage
    stop_reason: str | None = None
    stop_sequence: str | None = None
    type: str = "message"
    role: str = "assistant"


class MessageStart(Struct, frozen=True):
    message: Message
    type: str = "message_start"


class BlockStart(Struct, frozen=True):
    index: int
    content_block: TextAnswer | ThinkingAnswer | RedactedAnswer | ToolUseAnswer
    type: str = "content_block_start"


class TextPiece(Struct, frozen=True):
    text: str
    type: str = "text_delta"


class ThinkingPiece(Struct, frozen=True):
    thinking: str
    type: str = "thinking_delta"


class SignaturePiece(Struct, frozen=True):
    signature: str
    type: str = "signature_delta"


class InputPiece(Struct, frozen=True):
    partial_json: str
    type: str = "input_json_delta"


class BlockDelta(Struct, frozen=True):
    index: int
    delta: TextPiece | ThinkingPiece | SignaturePiece | InputPiece
    type: str = "content_block_delta"


class BlockStop(Struct, frozen=True):
    index: int
    type: str = "content_block_stop"


class Ending(Struct, frozen=True):
    stop_reason: str
    stop_sequence: str | None


class MessageDelta(Struct, frozen=True):
    delta: Ending
    usage: Usage
    type: str = "message_delta"


class ErrorDetails(Struct, frozen=True):
    error_code: str


class ErrorBody(Struct, frozen=True):
    type: str
    message: str
    details: ErrorDetails


class Error(Struct, frozen=True):
    """A refusal; also the in-band error of a stream."""

    error: ErrorBody
    request_id: str | None = None
    type: str = "error"


class TokenCount(Struct, frozen=True):
    input_tokens: int


class Model(Struct, frozen=True):
    id: str
    display_name: str
    created_at: str
    max_input_tokens: int | None
    max_tokens: int | None = None
    lifecycle: str = "active"
    type: str = "model"


class ModelPage(Struct, frozen=True):
    data: list[Model]
    has_more: bool
    first_id: str | None
    last_id: str | None

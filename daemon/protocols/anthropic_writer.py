"""An answer in Anthropic's events, or as one message.

Blocks stand one behind another: a piece of another kind closes what is open. `message_start` has to say how long the prompt
is before anybody has told, so it says what the characters let expect; `message_delta` has the count.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from daemon.protocols.anthropic_errors import refusal
from daemon.protocols.base import Problem
from providers.contract import (
    BadAnswer,
    Choice,
    Delta,
    Finish,
    FinishReason,
    Message,
    Progress,
    Request,
    Response,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Usage,
)
from providers.wire import anthropic as wire

CHARS_PER_TOKEN: Final = 4
_encode: Final = msgspec.json.Encoder().encode
_REASONS: Final[dict[FinishReason, str]] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
_Kind = Literal["text", "thinking", "tool_use"]


class MessageWriter:
    """Writes one answer."""

    media_type = "text/event-stream"

    def __init__(self, request: Request, shows_thoughts: bool = True) -> None:
        self._request = request
        self._shows = shows_thoughts
        self._started = False
        self._index = 0
        self._open: _Kind | None = None
        self._call: int | None = None
        self._closed_calls: set[int] = set()
        self._arguments: list[str] = []

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        """The frames for one delta. Raises BadAnswer for a call that Anthropic's events can't tell."""
        if isinstance(delta, Progress):
            return self.heartbeat()
        frames = self._frames(delta)
        if self._started or not frames:
            return frames
        self._started = True
        opening = wire.Message(self._id, answered_by, [], wire.Usage(expected_tokens(self._request), 1))
        return _frame(wire.MessageStart(opening)) + frames

    def end(self) -> bytes:
        """What closes a stream that went well."""
        return b'event: message_stop\ndata: {"type":"message_stop"}\n\n'

    def heartbeat(self) -> bytes:
        """A ping, which SDKs skip."""
        return b'event: ping\ndata: {"type":"ping"}\n\n'

    def failed(self, problem: Problem) -> bytes:
        """The event that SDKs raise as an error."""
        return b"event: error\ndata: " + refusal(problem, self._request.id) + b"\n\n"

    def whole(self, response: Response, answered_by: str) -> bytes:
        """One message."""
        choice = response.choices[0]
        blocks = [block for part in choice.parts if (block := self._block(part)) is not None]
        usage = self._usage(response.usage)
        reason, stop = _reason(choice)
        return _encode(wire.Message(self._id, answered_by, blocks, usage, reason, stop))

    @property
    def _id(self) -> str:
        return f"msg_{self._request.id}"

    # -- pieces

    def _frames(self, delta: TextDelta | ThoughtDelta | ToolCallDelta | Finish) -> bytes:
        match delta:
            case TextDelta(text=text):
                return self._opened("text") + self._piece(wire.TextPiece(text)) if text else b""
            case ThoughtDelta():
                return self._thought(delta)
            case ToolCallDelta():
                return self._called(delta)
            case Finish():
                ending = wire.Ending(*_reason(delta))
                return self._closed() + _frame(wire.MessageDelta(ending, self._usage(delta.usage)))

    def _thought(self, delta: ThoughtDelta) -> bytes:
        if delta.redacted:
            return self._closed() + self._begun(wire.RedactedAnswer(delta.signature or "")) + self._ended()
        text = delta.text if self._shows else ""
        frames = self._opened("thinking") if text or delta.signature is not None else b""
        if text:
            frames += self._piece(wire.ThinkingPiece(text))
        if delta.signature is not None:
            frames += self._piece(wire.SignaturePiece(delta.signature)) + self._closed()
        return frames

    def _called(self, delta: ToolCallDelta) -> bytes:
        frames = b""
        if self._open != "tool_use" or delta.index != self._call:
            frames = self._closed()
            if delta.index in self._closed_calls:
                raise BadAnswer("the model's tool calls came mixed with one another: ask again")
            self._call, self._open, self._arguments = delta.index, "tool_use", []
            frames += self._begun(wire.ToolUseAnswer(delta.id or "", delta.name or "", {}))
        if delta.arguments:
            self._arguments.append(delta.arguments)
            frames += self._piece(wire.InputPiece(delta.arguments))
        return frames

    def _opened(self, kind: Literal["text", "thinking"]) -> bytes:
        if self._open == kind:
            return b""
        frames = self._closed()
        self._open = kind
        return frames + self._begun(wire.TextAnswer("") if kind == "text" else wire.ThinkingAnswer("", ""))

    def _closed(self) -> bytes:
        if self._open is None:
            return b""
        if self._open == "tool_use" and self._call is not None:
            self._closed_calls.add(self._call)
            input_of("".join(self._arguments))  # what is no input is told before the client acts on it
        self._open = None
        return self._ended()

    def _begun(self, block: wire.AnswerBlock) -> bytes:
        return _frame(wire.BlockStart(self._index, block))

    def _piece(self, piece: wire.TextPiece | wire.ThinkingPiece | wire.SignaturePiece | wire.InputPiece) -> bytes:
        return _frame(wire.BlockDelta(self._index, piece))

    def _ended(self) -> bytes:
        self._index += 1
        return _frame(wire.BlockStop(self._index - 1))

    # -- the whole

    def _block(self, part: Text | Thought | ToolCall) -> wire.AnswerBlock | None:
        match part:
            case Text(text=text):
                return wire.TextAnswer(text) if text else None
            case Thought(redacted=True):
                return wire.RedactedAnswer(part.signature or "")
            case Thought(text=text, signature=signature):
                shown = text if self._shows else ""
                return wire.ThinkingAnswer(shown, signature or "") if shown or signature is not None else None
            case ToolCall(id=id, name=name, arguments=arguments):
                return wire.ToolUseAnswer(id, name, input_of(arguments))

    def _usage(self, usage: Usage) -> wire.Usage:
        """Theirs counts what came from a cache or went into it beside the input, not in it. Who counts nothing gets our
        expectation.
        """
        prompt = usage.prompt_tokens or expected_tokens(self._request)
        stored = usage.stored_tokens + usage.stored_long_tokens
        return wire.Usage(
            max(prompt - usage.cached_tokens - stored, 0),
            usage.completion_tokens,
            usage.cached_tokens,
            stored,
            wire.CacheCreation(usage.stored_long_tokens, usage.stored_tokens),
            wire.OutputDetails(usage.reasoning_tokens),
        )


def _frame(event: wire.MessageStart | wire.MessageDelta | wire.BlockStart | wire.BlockDelta | wire.BlockStop) -> bytes:
    return b"event: " + event.type.encode() + b"\ndata: " + _encode(event) + b"\n\n"


def _reason(end: Finish | Choice) -> tuple[str, str | None]:
    """(stop_reason, stop_sequence)."""
    if end.stop is not None and end.reason == "stop":
        return "stop_sequence", end.stop
    return _REASONS[end.reason], None


def input_of(arguments: str) -> dict[str, Any]:
    """A call's arguments as the object that Anthropic's clients take; none at all are an empty one. Raises BadAnswer."""
    if not arguments.strip():
        return {}
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadAnswer("the model called a tool with arguments that are no JSON object: ask again")
    return value


def expected_tokens(request: Request) -> int:
    """About how long the prompt is; never 0, which some clients take for a fault."""
    chars = sum(_chars(message) for message in request.messages)
    chars += sum(len(tool.name) + len(tool.description) + len(_encode(tool.parameters)) for tool in request.tools)
    return max(chars // CHARS_PER_TOKEN, 1)


def _chars(message: Message) -> int:
    total = 0
    for part in message.parts:
        match part:
            case Text(text=text) | Thought(text=text):
                total += len(text)
            case ToolCall(name=name, arguments=arguments):
                total += len(name) + len(arguments)
            case ToolResult(parts=inner):
                total += sum(len(each.text) for each in inner if isinstance(each, Text))
    return total

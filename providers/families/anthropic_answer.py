"""What a server of Anthropic Messages answers, from its events or its whole message to deltas; no I/O.

Servers that follow Anthropic differ in what they leave out, so events are read leniently: a call's input where it begins, or
in pieces, or both; counts in the first event, in the last one, or in both; no signature behind a thought. Events and pieces
that aren't known are passed over, blocks that aren't are told as what is being waited for: they are a server's own tools at
work, whose outcome stands in the words behind them. An answer of nothing else is none.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from providers.contract import (
    BadAnswer,
    Delta,
    Finish,
    FinishReason,
    NoAnswer,
    Progress,
    ProviderError,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)
from providers.refusals import broken, complaint, cut

_EMPTY: Final = Raw(b"{}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


class _Creation(Struct, frozen=True):
    ephemeral_1h_input_tokens: int | None = None


class _Output(Struct, frozen=True):
    thinking_tokens: int | None = None


class _Usage(Struct, frozen=True):
    """input_tokens: without what was read from the cache and written to it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: _Creation | None = None
    output_tokens_details: _Output | None = None


class _Block(Struct, frozen=True):
    type: str
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = _EMPTY


class _Stopped(Struct, frozen=True):
    explanation: str | None = None


class _Delta(Struct, frozen=True):
    """Of a block, or of the message."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: _Stopped | None = None


class _Message(Struct, frozen=True):
    usage: _Usage | None = None


class _Frame(Struct, frozen=True):
    """One event, or a whole message."""

    type: str | None = None
    index: int | None = None
    message: Any = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None
    error: Any = None
    content: list[_Block] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: _Stopped | None = None


class _Typed(Struct, frozen=True):
    type: str


_decode: Final = msgspec.json.Decoder(_Frame).decode
_decode_typed: Final = msgspec.json.Decoder(_Typed).decode
_EVENTS: Final = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "message",
        "error",
    }
)

_REASONS: Final[dict[str, FinishReason]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""All others, such as `end_turn` and `stop_sequence`, mean stop. Who paused would go on if it were asked to."""
_STATUSES: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "internal_server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What the types of an error inside a stream are as a status."""


class _Open:
    """A block while it comes in. call: its place among the calls. given: a call's input, as it stood where it began."""

    def __init__(self, kind: str, call: int | None = None, given: bytes = b"") -> None:
        self.kind = kind
        self.call = call
        self.given = given
        self.signature: list[str] = []
        self.spoke = False


class MessageHearing:
    """From events to deltas, for one answer. name: the provider's, for messages."""

    def __init__(self, name: str, request_id: str) -> None:
        self._name = name
        self._request_id = request_id
        self._begun = False
        self._marked = False
        self._blocks: dict[int, _Open] = {}
        self._calls = 0
        self._strange: str | None = None
        self._said = False
        self._reason: str | None = None
        self._stop: str | None = None
        self._counted: dict[str, int] = {}

    @property
    def ended(self) -> bool:
        """The end mark came: nothing follows."""
        return self._marked

    @property
    def heard(self) -> bool:
        """Anything of an answer came."""
        return self._begun or self._marked

    def foreign(self) -> BadAnswer:
        """For what isn't in this format at all."""
        return BadAnswer(f"{self._name} answered something that isn't Anthropic's format: check base_url and wire")

    def frame(self, data: bytes) -> list[Delta]:
        """What one event says, or the whole message. Raises ProviderError for an error in it."""
        if data.strip() == b"[DONE]":  # said by some that speak OpenAI's protocol beside
            return []
        try:
            frame = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if _is_unknown(data):
                return []
            raise self.foreign() from error
        if frame.type == "error" or frame.error:
            raise self._failed(frame.error)
        match frame.type:
            case "message_start":
                self._begun = True
                self._count(_usage_of(frame.message))
                return []
            case "content_block_start" if frame.content_block is not None:
                return self._opened(frame.index or 0, frame.content_block)
            case "content_block_delta" if frame.delta is not None:
                return self._piece(frame.index or 0, frame.delta)
            case "content_block_stop":
                return self._closed(frame.index or 0)
            case "message_delta":
                return self._ending(frame.delta, frame.usage)
            case "message_stop":
                self._marked = True
                return []
            case "message":
                return self._whole(frame)
            case None:
                raise self.foreign()
            case _:  # a ping, or an event of tomorrow's
                return []

    def end(self) -> list[Delta]:
        """The finish. Raises NoAnswer for silence, Unreachable for an answer that broke off, BadAnswer for one that can't be
        told.
        """
        if not self._begun:
            if self._marked:
                raise NoAnswer
            raise cut(self._name, begun=False)
        if self._reason is None and not self._marked:
            raise cut(self._name, begun=True)
        deltas = [delta for index in sorted(self._blocks) for delta in self._closed(index)]
        if self._strange is not None and not self._said:
            raise BadAnswer(f"{self._name} answered with nothing but {self._strange}, which can't be passed on")
        reason = _REASONS.get(self._reason or "", "stop")
        if reason == "stop" and self._calls and self._stop is None:
            reason = "tool_calls"
        return [*deltas, Finish(reason, self._usage(), stop=self._stop)]

    # -- blocks

    def _opened(self, index: int, block: _Block) -> list[Delta]:
        deltas = self._closed(index)
        self._begun = True
        match block.type:
            case "text":
                self._blocks[index] = _Open("text")
                return deltas + self._text(block.text)
            case "thinking":
                held = self._blocks[index] = _Open("thinking")
                held.signature += [block.signature] if block.signature else []
                return [*deltas, ThoughtDelta(block.thinking)] if block.thinking else deltas
            case "redacted_thinking":
                return [*deltas, ThoughtDelta("", block.data or "", redacted=True)]
            case "tool_use":
                call, self._calls, self._said = self._calls, self._calls + 1, True
                self._blocks[index] = _Open("tool_use", call, bytes(block.input))
                id = block.id or f"toolu_{self._request_id}_{call}"
                return [*deltas, ToolCallDelta(call, id, block.name or "")]
            case _:
                self._strange = block.type if _NAME.fullmatch(block.type) else "blocks that aren't known"
                return [*deltas, Progress(self._strange)]

    def _text(self, text: str | None) -> list[Delta]:
        if not text:
            return []
        self._said = True
        return [TextDelta(text)]

    def _piece(self, index: int, delta: _Delta) -> list[Delta]:
        held = self._blocks.get(index)
        match delta.type:
            case "text_delta":
                return self._text(delta.text)
            case "thinking_delta":
                return [ThoughtDelta(delta.thinking)] if delta.thinking else []
            case "signature_delta" if held is not None:
                held.signature += [delta.signature] if delta.signature else []
            case "input_json_delta" if held is not None and held.call is not None and delta.partial_json:
                held.spoke = True
                return [ToolCallDelta(held.call, arguments=delta.partial_json)]
        return []

    def _closed(self, index: int) -> list[Delta]:
        held = self._blocks.pop(index, None)
        if held is None:
            return []
        if held.signature:
            return [ThoughtDelta("", "".join(held.signature))]
        if held.call is not None and not held.spoke:
            return [ToolCallDelta(held.call, arguments=held.given.decode())]
        return []

    # -- the message

    def _whole(self, frame: _Frame) -> list[Delta]:
        self._begun = self._marked = True
        self._count(frame.usage)
        deltas: list[Delta] = []
        for index, block in enumerate(frame.content or ()):
            deltas += self._opened(index, block) + self._closed(index)
        return deltas + self._stopped(frame.stop_reason, frame.stop_sequence, frame.stop_details)

    def _ending(self, delta: _Delta | None, usage: _Usage | None) -> list[Delta]:
        self._count(usage)
        if delta is None:
            return []
        return self._stopped(delta.stop_reason, delta.stop_sequence, delta.stop_details)

    def _stopped(self, reason: str | None, stop: str | None, why: _Stopped | None) -> list[Delta]:
        self._reason, self._stop = reason or self._reason, stop or self._stop
        if why is None or self._said or reason != "refusal":
            return []
        return self._text(why.explanation)

    def _count(self, usage: _Usage | None) -> None:
        """The last word counts, since what is told first may be reckoned; some servers tell zeros at one end."""
        if usage is None:
            return
        prompt = {
            "input": usage.input_tokens,
            "read": usage.cache_read_input_tokens,
            "stored": usage.cache_creation_input_tokens,
        }
        if any(prompt.values()):
            self._counted |= {name: tokens for name, tokens in prompt.items() if tokens is not None}
        others = {
            "output": usage.output_tokens,
            "long": usage.cache_creation.ephemeral_1h_input_tokens if usage.cache_creation else None,
            "thinking": usage.output_tokens_details.thinking_tokens if usage.output_tokens_details else None,
        }
        self._counted |= {name: tokens for name, tokens in others.items() if tokens}

    def _usage(self) -> Usage:
        counted = {"input": 0, "output": 0, "read": 0, "stored": 0, "long": 0, "thinking": 0} | self._counted
        return Usage(
            prompt_tokens=counted["input"] + counted["read"] + counted["stored"],
            completion_tokens=counted["output"],
            cached_tokens=counted["read"],
            reasoning_tokens=counted["thinking"],
            stored_tokens=max(counted["stored"] - counted["long"], 0),
            stored_long_tokens=min(counted["long"], counted["stored"]),
        )

    def _failed(self, error: object) -> ProviderError:
        why = complaint(error)
        kind = error.get("type") if isinstance(error, dict) else None
        return broken(self._name, _STATUSES.get(kind) if isinstance(kind, str) else None, why)


def _usage_of(message: Any) -> _Usage | None:
    """Of what opens a stream."""
    try:
        return msgspec.convert(message, _Message).usage
    except msgspec.ValidationError:
        return None


def _is_unknown(data: bytes) -> bool:
    """Whether it is an event of a kind that we don't know, whose fields may be anything."""
    try:
        return _decode_typed(data).type not in _EVENTS
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False

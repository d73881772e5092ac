"""What a server that speaks OpenAI's Responses answers, from events to deltas; no I/O.

Theory of operation. An answer is a list of items, each of parts; events tell what is new of one, and later all of it.
Servers differ in which of them they send, so it is kept of which parts something was told, and an event that says all
(`….done`, `output_item.done`, the response at the end) is read where nothing was. A whole response is read as its last
event. Events that aren't known (there are some sixty) say nothing.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from providers.contract import (
    BadAnswer,
    Delta,
    Finish,
    FinishReason,
    Logprob,
    NoAnswer,
    ProviderError,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Unreachable,
    Usage,
)
from providers.families.openai_answer import Token, failure, logprobs_of
from providers.families.responses_reasoning import BETWEEN, note_of, words_of
from providers.refusals import cut


class _InputDetails(Struct, frozen=True):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _OutputDetails(Struct, frozen=True):
    reasoning_tokens: int | None = None


class _Usage(Struct, frozen=True):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None


class _Incomplete(Struct, frozen=True):
    reason: str | None = None


class _Response(Struct, frozen=True):
    """At any point of its life."""

    status: str | None = None
    output: list[dict[str, Any]] | None = None
    usage: _Usage | None = None
    error: Any = None
    incomplete_details: _Incomplete | None = None


class _Event(_Response, frozen=True):
    """One `data:` of a stream, or a whole response, which has no type, and another thing under `text`. code, message: of an
    `error` event.
    """

    type: str | None = None
    object: Any = None
    response: _Response | None = None
    item: dict[str, Any] | None = None
    item_id: str | None = None
    output_index: int | None = None
    content_index: int | None = None
    summary_index: int | None = None
    sequence_number: int | None = None
    delta: Any = None
    text: Any = None
    refusal: Any = None
    arguments: Any = None
    logprobs: list[Token] | None = None
    code: Any = None
    message: Any = None
    param: Any = None


_decode: Final = msgspec.json.Decoder(_Event).decode
_encode: Final = msgspec.json.Encoder().encode
_ENDS: Final = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done"}
)
_TEXTS: Final = {"response.output_text": "text", "response.refusal": "refusal"}
"""What words of an answer are called, and where all of them stand in an event that says all."""
_THOUGHTS: Final = frozenset(
    {"response.reasoning_text", "response.reasoning_summary_text", "response.reasoning", "response.reasoning_summary"}
)
_Where: TypeAlias = tuple[int | str, str, int]
"""A part: of which item, of what kind, the how many-th."""


class _Call:
    """A tool call while it comes in. held: arguments that came before the name."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.opened = False
        self.told = ""
        self.held = ""


class Hearing:
    """From events to deltas, for one answer; no I/O. name: the provider's, for messages."""

    def __init__(self, name: str, request_id: str) -> None:
        self._name = name
        self._request_id = request_id
        self._told: set[_Where] = set()
        self._places: dict[str, int] = {}
        self._thought_part: _Where | None = None
        self._closed: set[int | str] = set()
        self._calls: dict[int | str, _Call] = {}
        self._last: tuple[int, bytes] | None = None
        self._begun = False
        self._spoke = False
        self._ending: _Response | None = None

    @property
    def ended(self) -> bool:
        """The last event came: nothing follows."""
        return self._ending is not None

    @property
    def heard(self) -> bool:
        """Anything of an answer came."""
        return self._begun

    def foreign(self) -> BadAnswer:
        """For what isn't in this format at all."""
        return BadAnswer(f"{self._name} answered something that isn't OpenAI's Responses: check base_url and wire")

    def frame(self, data: bytes) -> list[Delta]:
        """What one `data:` says, or the whole response. Raises ProviderError for an error in it."""
        if data.strip() == b"[DONE]":
            return []  # some send it behind the last event; without that one it proves nothing
        try:
            event = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.foreign() from error
        if event.sequence_number and (event.sequence_number, data) == self._last:
            return []  # the same event once more
        self._last = (event.sequence_number, data) if event.sequence_number else None
        if event.type is None and event.output is None and event.status is None and not event.error:
            raise self.foreign()
        self._begun = True
        if event.type == "error" or (event.type is None and event.error):
            raise self._failed(event.error or {"code": event.code, "message": event.message, "param": event.param})
        if event.type is None:
            return self._end(event)
        if event.type in _ENDS:
            return self._end(event.response or event)
        return self._part(event, event.type)

    def end(self) -> list[Delta]:
        """The finish. Raises NoAnswer for silence, Unreachable for an answer that broke off."""
        if self._ending is None:
            raise cut(self._name, self._begun)
        rest = self._rest()
        reason = self._reason(self._ending)
        if not self._spoke and reason == "stop":
            raise NoAnswer
        return [*rest, Finish(reason, _usage(self._ending.usage))]

    # -- events

    def _part(self, event: _Event, kind: str) -> list[Delta]:
        stem, _, what = kind.rpartition(".")
        if kind == "response.output_item.added" and event.item is not None:
            return self._added(event.item, self._place(event))
        if kind == "response.output_item.done" and event.item is not None:
            return self._whole(event.item, self._place(event))
        if stem in _TEXTS and what in ("delta", "done"):
            all_of_it = getattr(event, _TEXTS[stem])
            where = (self._place(event), stem, event.content_index or 0)
            return self._text(where, event.delta, all_of_it, logprobs_of(event.logprobs))
        if stem in _THOUGHTS and what in ("delta", "done"):
            part = event.summary_index if event.summary_index is not None else event.content_index
            return self._thought((self._place(event), stem, part or 0), event.delta, event.text)
        if stem == "response.function_call_arguments" and what in ("delta", "done"):
            call = self._call(self._place(event))
            return self._arguments(call, event.delta if what == "delta" else None, event.arguments)
        return []

    def _place(self, event: _Event) -> int | str:
        """Of an item: some servers give no index, or not with each event."""
        id = event.item_id or (event.item or {}).get("id")
        if event.output_index is None:
            return self._places.get(id, id) if isinstance(id, str) else 0
        if isinstance(id, str):
            self._places[id] = event.output_index
        return event.output_index

    def _added(self, item: dict[str, Any], place: int | str) -> list[Delta]:
        if item.get("type") != "function_call":
            return []
        return self._named(self._call(place), item)

    def _whole(self, item: dict[str, Any], place: int | str) -> list[Delta]:
        """All of an item; only what wasn't told of it yet is."""
        match item.get("type"):
            case "function_call":
                call = self._call(place)
                return [*self._named(call, item), *self._arguments(call, None, item.get("arguments"))]
            case "message":
                return self._message(item, place)
            case "reasoning":
                return self._reasoned(item, place)
        return []

    def _message(self, item: dict[str, Any], place: int | str) -> list[Delta]:
        deltas: list[Delta] = []
        parts = item.get("content")
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            match part:
                case {"type": "output_text" | "text", "text": str(text)}:
                    where = (place, "response.output_text", number)
                    deltas += self._text(where, None, text, _logprobs(part.get("logprobs")))
                case {"type": "refusal", "refusal": str(text)}:
                    deltas += self._text((place, "response.refusal", number), None, text, ())
        return deltas

    def _text(self, where: _Where, new: Any, whole: Any, logprobs: tuple[Logprob, ...]) -> list[Delta]:
        """New words of a part, or all of them."""
        text = self._untold(where, new, whole)
        if not text and not (logprobs and isinstance(new, str)):
            return []
        self._spoke = True
        return [TextDelta(text, logprobs)]

    def _untold(self, where: _Where, new: Any, whole: Any) -> str:
        """New words; all of them where none were told."""
        text = new if isinstance(new, str) else whole if isinstance(whole, str) and where not in self._told else ""
        if text:
            self._told.add(where)
        return text

    def _thought(self, where: _Where, new: Any, whole: Any) -> list[Delta]:
        before = self._thought_part
        if before is not None and before[0] == where[0] and before[1] != where[1]:
            return []  # the very words beside their summary: what came first is told
        text = self._untold(where, new, whole)
        if not text:
            return []
        self._spoke = True
        self._thought_part = where
        again = before is not None and before[0] == where[0] and before[2] != where[2]
        return [ThoughtDelta(BETWEEN + text if again else text)]

    def _reasoned(self, item: dict[str, Any], place: int | str) -> list[Delta]:
        """An item of reasoning that is whole: what wasn't told of it, and its seal."""
        if place in self._closed:
            return []
        self._closed.add(place)
        sealed, words = item.get("encrypted_content"), words_of(item)
        told = any(where[0] == place for where in self._told)
        text = "" if told else words
        if isinstance(sealed, str) and sealed:
            self._spoke = True
            return [ThoughtDelta(text, sealed, redacted=not words, note=note_of(item))]
        self._spoke = self._spoke or bool(text)
        return [ThoughtDelta(text)] if text else []

    # -- calls

    def _call(self, place: int | str) -> _Call:
        if place not in self._calls:
            self._calls[place] = _Call(len(self._calls))
        return self._calls[place]

    def _named(self, call: _Call, item: dict[str, Any]) -> list[Delta]:
        name = item.get("name")
        if call.opened or not isinstance(name, str) or not name:
            return []
        id = item.get("call_id") or item.get("id")
        return [self._opening(call, name, id if isinstance(id, str) else None)]

    def _opening(self, call: _Call, name: str, id: str | None) -> Delta:
        call.opened = self._spoke = True
        held, call.held = call.held, ""
        call.told += held
        return ToolCallDelta(call.index, id or f"call_{self._request_id}_{call.index}", name, held)

    def _arguments(self, call: _Call, new: Any, whole: Any) -> list[Delta]:
        """New arguments, or all of them: LM Studio sends only those."""
        if new is None and (whole is None or call.told or call.held):
            return []
        text = new if new is not None else whole
        if not isinstance(text, str):
            text = _encode(text).decode()
        if not call.opened:
            call.held += text
            return []
        call.told += text
        return [ToolCallDelta(call.index, arguments=text)] if text else []

    def _rest(self) -> list[Delta]:
        """Calls that never got a name: they are no less calls."""
        return [self._opening(call, "", None) for call in self._calls.values() if not call.opened and call.held]

    # -- the end

    def _end(self, response: _Response) -> list[Delta]:
        if response.status == "failed" or response.error:
            raise self._failed(response.error)
        if response.status == "cancelled":
            raise Unreachable(f"{self._name} gave its answer up: ask again")
        if response.status in ("in_progress", "queued"):
            return []
        self._ending = response
        untold = [] if self._spoke else list(enumerate(response.output or ()))
        return [delta for place, item in untold for delta in self._whole(item, place)]

    def _reason(self, response: _Response) -> FinishReason:
        if response.status == "incomplete":
            why = response.incomplete_details.reason if response.incomplete_details else None
            return "content_filter" if why == "content_filter" else "length"
        return "tool_calls" if any(call.opened for call in self._calls.values()) else "stop"

    def _failed(self, error: object) -> ProviderError:
        return failure(self._name, error or {"code": "server_error"})


def _logprobs(told: Any) -> tuple[Logprob, ...]:
    try:
        return logprobs_of(msgspec.convert(told, list[Token] | None))
    except msgspec.ValidationError:
        return ()


def _usage(usage: _Usage | None) -> Usage:
    usage = usage or _Usage()
    read, written = usage.input_tokens_details, usage.output_tokens_details
    return Usage(
        prompt_tokens=usage.input_tokens or 0,
        completion_tokens=usage.output_tokens or 0,
        cached_tokens=(read.cached_tokens if read else None) or 0,
        reasoning_tokens=(written.reasoning_tokens if written else None) or 0,
        stored_tokens=(read.cache_write_tokens if read else None) or 0,
    )

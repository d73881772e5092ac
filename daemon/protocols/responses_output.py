"""The answer of OpenAI Responses: typed events, and the object that they add up to.

Theory of operation. Deltas open, fill and close items: words are a message, thoughts a reasoning item, each call an item of
its own. An item of words is closed when something else begins; calls stay open until the end, since their pieces may come
mixed. Whole and streamed answers are the same: a whole one is fed as deltas, and its events are not sent.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from daemon.protocols.base import Envelope, Problem
from daemon.protocols.responses_items import from_json
from daemon.protocols.responses_tools import offered
from providers.contract import (
    Delta,
    Finish,
    Logprob,
    Progress,
    Request,
    Response,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from providers.wire import openai_responses as wire

_encode: Final = msgspec.json.Encoder().encode
_PREFIX: Final = "resp_"
_WHY_INCOMPLETE: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}
_FAILURES: Final = {"rate_limited": "rate_limit_exceeded", "context_length_exceeded": "context_length_exceeded"}
"""Our codes as those that clients look for in a failed response; others are `server_error`, or `invalid_prompt`."""


def answer_id(record: str) -> str:
    """The name of the answer that a record is about."""
    return _PREFIX + record


class _Words:
    """An open message or thought."""

    def __init__(self, place: int, id: str, thought: bool) -> None:
        self.place = place
        self.id = id
        self.thought = thought
        self.pieces: list[str] = []
        self.logprobs: list[wire.TokenLogprob] = []
        self.sealed: str | None = None

    @property
    def prefix(self) -> str:
        return "response.reasoning_text" if self.thought else "response.output_text"

    def part(self) -> wire.OutputText | wire.ReasoningPart:
        """What it holds by now."""
        text = "".join(self.pieces)
        return wire.ReasoningPart(text) if self.thought else wire.OutputText(text, self.logprobs)

    def item(self, status: str, whole: bool = True) -> wire.Message | wire.Reasoning:
        part = self.part()
        if isinstance(part, wire.ReasoningPart):
            return wire.Reasoning(self.id, status, [part] if whole and part.text else [], self.sealed)
        return wire.Message(self.id, status, [part] if whole else [])


class _Call:
    """An open call. custom: of a tool that takes free text. space: its namespace."""

    def __init__(self, place: int, id: str, call_id: str, name: str, custom: bool, space: str | None) -> None:
        self.place = place
        self.id = id
        self.call_id = call_id
        self.name = name
        self.custom = custom
        self.space = space if space is not None else msgspec.UNSET
        self.pieces: list[str] = []

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)

    def item(self, status: str, whole: bool = True) -> wire.FunctionCall | wire.CustomCall:
        arguments = self.arguments if whole else ""
        if self.custom:
            return wire.CustomCall(self.id, status, self.call_id, self.name, from_json(arguments) if arguments else "")
        return wire.FunctionCall(self.id, status, self.call_id, self.name, arguments, namespace=self.space)


class ResponseWriter:
    """Writes one answer. `final`: the object in its last state, once it ended well."""

    media_type = "text/event-stream"

    def __init__(self, request: Request, envelope: Envelope) -> None:
        asked = request.echo
        self._asked: wire.ResponseRequest = (
            asked if isinstance(asked, wire.ResponseRequest) else wire.ResponseRequest(request.model)
        )
        self._offered = offered(self._asked.tools or ())
        self._record = envelope.id
        self._created = envelope.created_s
        self._model = request.model
        self._sequence = 0
        self._begun = False
        self._items: list[wire.Item] = []
        self._words: _Words | None = None
        self._calls: dict[int, _Call] = {}
        self._finish: Finish | None = None
        self.final: wire.Response | None = None

    # -- a stream

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        """The events for one delta."""
        if isinstance(delta, Progress):
            return self.heartbeat()
        self._model = answered_by
        events = self._opening()
        match delta:
            case TextDelta(text=text, logprobs=logprobs):
                return events + self._said(text, _logprobs(logprobs), thought=False)
            case ThoughtDelta(text=text, signature=signature, redacted=redacted):
                events += self._close_words() if redacted else b""
                events += self._said(text, [], thought=True)
                if signature is not None and self._words is not None:
                    self._words.sealed = signature
                return events
            case ToolCallDelta():
                return events + self._called(delta)
            case Finish():
                self._finish = delta
                if not self._items and not self._calls and self._words is None:
                    events += self._said("", [], thought=False)
                return events + self._close_words() + self._close_calls()

    def end(self) -> bytes:
        """The last event, which has everything."""
        self.final = self._response(*self._status())
        return self._event(f"response.{self.final.status}", self.final)

    def heartbeat(self) -> bytes:
        """A comment, which event-stream readers skip."""
        return b": nearloop is at work\n\n"

    def failed(self, problem: Problem) -> bytes:
        """What went wrong as an event of its own, and the failed answer."""
        parameter = problem.parameter
        error = wire.ErrorEvent(self._next(), problem.code, problem.message, parameter)
        code = _FAILURES.get(problem.code, "invalid_prompt" if problem.status < 500 else "server_error")
        response = replace(self._response("failed"), error=wire.Failure(code, problem.message))
        return _frame("error", _encode(error)) + self._event("response.failed", response)

    def whole(self, response: Response, answered_by: str) -> bytes:
        """The object alone."""
        choice = response.choices[0]
        calls, logprobs = 0, choice.logprobs
        for part in choice.parts:
            match part:
                case Text(text=text):
                    self.feed(TextDelta(text, logprobs), answered_by)
                    logprobs = ()
                case Thought(text=text, signature=signature, redacted=redacted):
                    self.feed(ThoughtDelta(text, signature, redacted=redacted), answered_by)
                case ToolCall(id=id, name=name, arguments=arguments):
                    self.feed(ToolCallDelta(calls, id, name, arguments), answered_by)
                    calls += 1
        self.feed(Finish(choice.reason, response.usage), answered_by)
        self.final = self._response(*self._status())
        return _encode(self.final)

    # -- its parts

    def _opening(self) -> bytes:
        if self._begun:
            return b""
        self._begun = True
        started = self._response("in_progress")
        return self._event("response.created", started) + self._event("response.in_progress", started)

    def _said(self, text: str, logprobs: list[wire.TokenLogprob], thought: bool) -> bytes:
        events = b""
        if self._words is None or self._words.thought is not thought or self._words.sealed is not None:
            events += self._close_words() + self._open_words(thought)
        words = self._words
        assert words
        words.pieces.append(text)
        words.logprobs += logprobs
        if not text and not logprobs:
            return events
        told = logprobs if not thought else msgspec.UNSET
        kind = f"{words.prefix}.delta"
        delta = wire.WordsEvent(kind, self._next(), words.id, words.place, 0, delta=text, logprobs=told)
        return events + _frame(kind, _encode(delta))

    def _open_words(self, thought: bool) -> bytes:
        place = len(self._items)
        words = self._words = _Words(place, f"{'rs' if thought else 'msg'}_{self._record}_{place}", thought)
        self._items.append(words.item("in_progress", whole=False))
        return self._item_event("added", place) + self._part_event("added", words)

    def _close_words(self) -> bytes:
        words, self._words = self._words, None
        if words is None:
            return b""
        status = self._item_status()
        self._items[words.place] = words.item(status)
        kind = f"{words.prefix}.done"
        told = words.logprobs if not words.thought else msgspec.UNSET
        text = "".join(words.pieces)
        done = wire.WordsEvent(kind, self._next(), words.id, words.place, 0, text=text, logprobs=told)
        return _frame(kind, _encode(done)) + self._part_event("done", words) + self._item_event("done", words.place)

    def _called(self, delta: ToolCallDelta) -> bytes:
        events = b""
        call = self._calls.get(delta.index)
        if call is None:
            events += self._close_words()
            place = len(self._items)
            name = delta.name or ""
            custom = name in self._offered.custom
            space, name = self._offered.spaces.get(name, (None, name))
            id = f"{'ctc' if custom else 'fc'}_{self._record}_{place}"
            call = self._calls[delta.index] = _Call(place, id, delta.id or id, name, custom, space)
            self._items.append(call.item("in_progress", whole=False))
            events += self._item_event("added", place)
        call.pieces.append(delta.arguments)
        if call.custom or not delta.arguments:  # free text is told when it is whole: until then it is JSON
            return events
        kind = "response.function_call_arguments.delta"
        told = wire.CallEvent(kind, self._next(), call.id, call.place, delta=delta.arguments)
        return events + _frame(kind, _encode(told))

    def _close_calls(self) -> bytes:
        return b"".join(self._close_call(call) for call in self._calls.values())

    def _close_call(self, call: _Call) -> bytes:
        item = self._items[call.place] = call.item(self._item_status())
        if isinstance(item, wire.CustomCall):
            kind = "response.custom_tool_call_input"
            delta = wire.CallEvent(f"{kind}.delta", self._next(), call.id, call.place, delta=item.input)
            done = wire.CallEvent(f"{kind}.done", self._next(), call.id, call.place, input=item.input)
            events = _frame(delta.type, _encode(delta)) + _frame(done.type, _encode(done))
        else:
            kind = "response.function_call_arguments.done"
            arguments = call.arguments
            done = wire.CallEvent(kind, self._next(), call.id, call.place, arguments=arguments, name=call.name)
            events = _frame(kind, _encode(done))
        return events + self._item_event("done", call.place)

    # -- events

    def _next(self) -> int:
        number, self._sequence = self._sequence, self._sequence + 1
        return number

    def _event(self, kind: str, response: wire.Response) -> bytes:
        return _frame(kind, _encode(wire.Lifecycle(kind, self._next(), response)))

    def _item_event(self, what: str, place: int) -> bytes:
        kind = f"response.output_item.{what}"
        return _frame(kind, _encode(wire.ItemEvent(kind, self._next(), place, self._items[place])))

    def _part_event(self, what: str, words: _Words) -> bytes:
        kind = f"response.content_part.{what}"
        return _frame(kind, _encode(wire.PartEvent(kind, self._next(), words.id, words.place, 0, words.part())))

    # -- the object

    def _item_status(self) -> str:
        return "incomplete" if self._finish and self._finish.reason in _WHY_INCOMPLETE else "completed"

    def _status(self) -> tuple[str, str | None]:
        why = _WHY_INCOMPLETE.get(self._finish.reason) if self._finish else None
        return ("incomplete" if why else "completed"), why

    def _response(self, status: str, incomplete: str | None = None) -> wire.Response:
        asked = self._asked
        text = asked.text or wire.TextOptions()
        return wire.Response(
            id=answer_id(self._record),
            created_at=self._created,
            status=status,
            model=self._model,
            output=list(self._items),
            usage=_usage(self._finish.usage) if self._finish else None,
            error=None,
            incomplete_details=wire.IncompleteDetails(incomplete) if incomplete else None,
            instructions=asked.instructions,
            previous_response_id=asked.previous_response_id,
            store=asked.store is not False,
            max_output_tokens=asked.max_output_tokens,
            temperature=asked.temperature,
            top_p=asked.top_p,
            top_logprobs=asked.top_logprobs or 0,
            tools=asked.tools or (),
            tool_choice=asked.tool_choice or "auto",
            parallel_tool_calls=asked.parallel_tool_calls is not False,
            text=replace(text, format=text.format or wire.Format("text")),
            reasoning=asked.reasoning or wire.ReasoningOptions(),
            metadata=asked.metadata or {},
        )


def _frame(kind: str, data: bytes) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


def _usage(usage: Usage) -> wire.Usage:
    return wire.Usage(
        usage.prompt_tokens,
        wire.InputDetails(usage.cached_tokens),
        usage.completion_tokens,
        wire.OutputDetails(usage.reasoning_tokens),
        usage.prompt_tokens + usage.completion_tokens,
    )


def _logprobs(logprobs: tuple[Logprob, ...]) -> list[wire.TokenLogprob]:
    return [
        wire.TokenLogprob(
            token.piece.decode(errors="replace"),
            token.logprob,
            list(token.piece),
            [wire.TopLogprob(top.piece.decode(errors="replace"), top.logprob, list(top.piece)) for top in token.top],
        )
        for token in logprobs
    ]

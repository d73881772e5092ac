"""Answers in Ollama's form: lines of JSON, the last of which counts.

A tool call is one object, so its pieces are kept until the answer ends, and one that is no object is an error and not
words. A line without words is what a model of Ollama's says as well, so it serves as a sign of life; an empty line would end
the official client.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from daemon.protocols.base import Envelope, Problem
from daemon.protocols.ollama_fields import refusal
from providers import contract
from providers.contract import (
    BadAnswer,
    Delta,
    Finish,
    Progress,
    Request,
    Response,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
)
from providers.wire import ollama as wire

_encode: Final = msgspec.json.Encoder().encode
_decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode
_NANO: Final = 1e9


class LineWriter(ABC):
    """Writes one answer; how a line looks is the subclass's."""

    media_type = "application/x-ndjson"

    def __init__(self, request: Request, envelope: Envelope) -> None:
        self._model = request.model
        self._created_at = datetime.fromtimestamp(envelope.created_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._alternatives = request.sampling.top_logprobs > 0
        self._loading = not request.messages
        self._leaves = request.keep_s == 0
        self._monotonic = envelope.monotonic
        self._began = self._at = envelope.monotonic()
        self._loaded: float | None = None
        self._first: float | None = None
        self._calls: dict[int, list[str]] = {}
        self._finished = False

    @abstractmethod
    def _line(
        self,
        text: str = "",
        thought: str = "",
        calls: Sequence[ToolCall] = (),
        logprobs: tuple[contract.Logprob, ...] = (),
        done: str | None = None,
        tally: wire.Tally | None = None,
    ) -> msgspec.Struct:
        """One object. done: why the answer ends; None: it goes on."""

    # -- a stream

    def feed(self, delta: Delta, answered_by: str) -> bytes:
        """The lines for one delta; none for a piece of a tool call."""
        self._model = answered_by
        if isinstance(delta, Progress):
            self._loaded = self._monotonic()
            return self.heartbeat()
        if self._first is None:
            self._first = self._monotonic()
        match delta:
            case TextDelta(text=text, logprobs=logprobs):
                return self._written(self._line(text, logprobs=logprobs))
            case ThoughtDelta(text=text, redacted=redacted):
                return self._written(self._line(thought=text)) if text and not redacted else b""
            case ToolCallDelta(index=index, id=id, name=name, arguments=arguments):
                call = self._calls.setdefault(index, ["", "", ""])
                call[0], call[1], call[2] = id or call[0], name or call[1], call[2] + arguments
                return b""
            case Finish(reason=reason, usage=usage):
                self._finished = True
                calls = [ToolCall(id, name, arguments) for _, (id, name, arguments) in sorted(self._calls.items())]
                called = self._written(self._line(calls=calls)) if calls else b""
                return called + self._written(self._line(done=_reason(reason), tally=self._tally(usage)))

    def end(self) -> bytes:
        """Nothing more: the line that counts has closed it."""
        return b"" if self._finished else self.failed(Problem(502, "bad_answer", "the answer had no end: ask again"))

    def heartbeat(self) -> bytes:
        """A line without words."""
        return self._written(self._line())

    def failed(self, problem: Problem) -> bytes:
        """The line that clients raise as an error."""
        return refusal(problem) + b"\n"

    def _written(self, line: msgspec.Struct) -> bytes:
        return _encode(line) + b"\n"

    # -- whole

    def whole(self, response: Response, answered_by: str) -> bytes:
        """All of it in one object."""
        self._model = answered_by
        if self._loading:
            return _encode(self._line(done="unload" if self._leaves else "load"))
        choice = response.choices[0]
        text = "".join(part.text for part in choice.parts if isinstance(part, Text))
        thought = "".join(part.text for part in choice.parts if isinstance(part, Thought) and not part.redacted)
        calls = [part for part in choice.parts if isinstance(part, ToolCall)]
        tally = self._tally(response.usage)
        return _encode(self._line(text, thought, calls, choice.logprobs, _reason(choice.reason), tally))

    def _tally(self, usage: contract.Usage) -> wire.Tally:
        """Of a whole answer only the end is known, so all of its time counts as writing."""
        now = self._monotonic()
        loaded = self._loaded if self._loaded is not None else self._began
        first = self._first if self._first is not None else loaded
        return wire.Tally(
            total_duration=_nano(now - self._began),
            load_duration=_nano(loaded - self._began),
            prompt_eval_count=usage.prompt_tokens,
            prompt_eval_duration=_nano(first - loaded),
            eval_count=usage.completion_tokens,
            eval_duration=_nano(now - first),
        )

    def _logprobs(self, logprobs: tuple[contract.Logprob, ...]) -> list[wire.TokenLogprob] | UnsetType:
        return [self._logprob(token) for token in logprobs] or UNSET

    def _logprob(self, token: contract.Logprob) -> wire.TokenLogprob:
        top = [wire.TopLogprob(_shown(other.piece), other.logprob, list(other.piece)) for other in token.top]
        return wire.TokenLogprob(
            _shown(token.piece), token.logprob, list(token.piece), top if self._alternatives else UNSET
        )


def answered(call: ToolCall, place: int) -> wire.CallAnswered:
    """A call with its arguments as an object, in the model's own spelling. Raises BadAnswer if they are none."""
    text = call.arguments.strip() or "{}"
    try:
        _decode_object(text)
        arguments = msgspec.json.format(text.encode(), indent=-1)  # a line's end inside would end the line
    except (ValueError, RecursionError) as error:
        raise BadAnswer("the model called a tool with arguments that are no JSON object: ask again") from error
    return wire.CallAnswered(call.id, wire.FunctionAnswered(place, call.name, msgspec.Raw(arguments)))


def counted(tally: wire.Tally | None) -> dict[str, Any]:
    """The fields of a tally."""
    return {} if tally is None else msgspec.structs.asdict(tally)


def _reason(reason: str) -> str:
    return "stop" if reason == "tool_calls" else reason


def _nano(seconds: float) -> int:
    return max(0, round(seconds * _NANO))


def _shown(piece: bytes) -> str:
    return piece.decode(errors="replace")

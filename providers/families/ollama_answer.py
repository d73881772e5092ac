"""What Ollama answers, from lines to deltas; no I/O.

A whole answer is one line, so there is one way to read both; one that somebody printed over several lines is understood at
its end. The line that says `done` is the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

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
    Usage,
)
from providers.families.json_object import text_of
from providers.families.openai_answer import Token, logprobs_of
from providers.refusals import broken, complaint, cut


class _Function(Struct, frozen=True):
    name: str = ""
    arguments: Raw = Raw(b"{}")


class _Call(Struct, frozen=True):
    id: str | None = None
    function: _Function = _Function()


class _Said(Struct, frozen=True):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_Call] | None = None


class _Line(Struct, frozen=True):
    """status_code, code: beside an error, of Ollama's cloud and of another Nearloop."""

    message: _Said | None = None
    done: bool | None = None
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    logprobs: list[Token] | None = None
    error: Any = None
    status_code: int | None = None
    code: str | None = None


_decode: Final = msgspec.json.Decoder(_Line).decode
_REASONS: Final[dict[str, FinishReason]] = {"length": "length", "content_filter": "content_filter"}
"""All others, such as `stop` and `load`, mean stop."""
_STATUS_OF_CODE: Final = {
    "rate_limited": 429,
    "insufficient_quota": 402,
    "overloaded": 503,
    "no_model_ready": 503,
    "model_lost": 503,
    "does_not_fit": 503,
    "provider_key_rejected": 403,
    "context_length_exceeded": 400,
}
"""What another Nearloop says of an error in a line, as the status that it would have had."""


class Lines:
    """Reads one answer, from bytes cut anywhere. name: the provider's, for messages."""

    def __init__(self, name: str, request_id: str) -> None:
        self._name = name
        self._request_id = request_id
        self._held: list[bytes] = []
        self._odd: list[bytes] = []
        self._calls = 0
        self._spoke = False
        self._last: _Line | None = None
        self._heard = False

    @property
    def ended(self) -> bool:
        """The last line came: what follows is not read."""
        return self._last is not None

    def feed(self, chunk: bytes) -> Iterator[Delta]:
        """The deltas that are complete with this chunk, those before an error included."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._held.append(line)
            whole, self._held = b"".join(self._held), []
            yield from self._line(whole)
            if self.ended:
                return
        if rest:
            self._held.append(rest)

    def end(self, said_events: bool) -> Iterator[Delta]:
        """What is left when no more comes, and the finish. Raises NoAnswer for silence, Unreachable for what broke off."""
        if not self.ended:
            rest, self._held = b"".join(self._held), []
            left = b"\n".join([*self._odd, rest])  # of what was printed over several lines
            if _is_whole(left) or (left.strip() and not self._heard and not _begins(left)):
                yield from self._read(left)
        if self._last is None:
            raise cut(self._name, self._heard)
        if not self._spoke and self._last.done_reason not in ("length", "load", "unload", *_REASONS):
            raise NoAnswer
        reason = _REASONS.get(self._last.done_reason or "", "stop")
        if reason == "stop" and self._calls:
            reason = "tool_calls"
        yield Finish(reason, Usage(self._last.prompt_eval_count or 0, self._last.eval_count or 0))

    def _line(self, line: bytes) -> list[Delta]:
        """One line; the first one may be the beginning of an object that somebody printed for humans."""
        if not line.strip():
            return []
        if self._odd or (not self._heard and not _is_whole(line)):
            if not self._odd and not _begins(line):
                raise self._foreign()
            self._odd.append(line)
            return []
        return self._read(line)

    def _read(self, line: bytes) -> list[Delta]:
        try:
            said = _decode(line.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._foreign() from error
        if said.error:
            raise self._failed(said)
        if said.message is None and said.done is None:
            raise self._foreign()
        self._heard = True
        deltas = self._message(said.message or _Said(), logprobs_of(said.logprobs))
        self._spoke = self._spoke or bool(deltas)
        if said.done:
            self._last = said
        return deltas

    def _message(self, said: _Said, logprobs: tuple[Logprob, ...]) -> list[Delta]:
        deltas: list[Delta] = [ThoughtDelta(said.thinking)] if said.thinking else []
        if said.content or logprobs:
            deltas.append(TextDelta(said.content or "", logprobs))
        for call in said.tool_calls or ():
            place, self._calls = self._calls, self._calls + 1
            id = call.id or f"call_{self._request_id}_0_{place}"
            try:
                arguments = text_of(call.function.arguments)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise self._foreign() from error
            deltas.append(ToolCallDelta(place, id, call.function.name, arguments))
        return deltas

    def _foreign(self) -> BadAnswer:
        return BadAnswer(f"{self._name} answered something that isn't Ollama's format: check base_url and wire")

    def _failed(self, said: _Line) -> ProviderError:
        error = said.error if isinstance(said.error, dict) else {"message": said.error, "code": said.code}
        why = complaint(error)
        return broken(self._name, said.status_code or _STATUS_OF_CODE.get(said.code or ""), why)


def _begins(line: bytes) -> bool:
    return line.lstrip(b"\xef\xbb\xbf \t\r").startswith(b"{")


def _is_whole(line: bytes) -> bool:
    try:
        msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True

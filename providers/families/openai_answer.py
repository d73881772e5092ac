"""What an OpenAI-compatible server answers, from frames to deltas; no I/O.

Servers differ in what they leave out and where they put it, so frames are read leniently: reasoning under three names, tool
calls without ids or places, usage in any frame, a whole completion where a stream was asked for. What broke off is told
apart from what ended: an answer without a finish and without an end mark did not end.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from providers.contract import (
    Alternative,
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
from providers.families.reasoning_details import Details
from providers.refusals import broken, complaint, cut

_encode: Final = msgspec.json.Encoder().encode


class _Top(Struct, frozen=True):
    token: str = ""
    logprob: float | None = None
    bytes: list[int] | None = None


class Token(_Top, frozen=True):
    """One that was chosen, with those that could have stood in its place."""

    top_logprobs: list[_Top] | None = None


class _Logprobs(Struct, frozen=True):
    content: list[Token] | None = None


class _Function(Struct, frozen=True):
    name: str | None = None
    arguments: Any = None


class _Call(Struct, frozen=True):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Said(Struct, frozen=True):
    """`delta` of a frame, or `message` of a whole completion. content: Mistral's thinking models send a list."""

    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    reasoning_details: list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None


class _Choice(Struct, frozen=True):
    index: int | None = None
    delta: _Said | None = None
    message: _Said | None = None
    logprobs: _Logprobs | None = None
    finish_reason: str | None = None
    error: Any = None
    usage: _Usage | None = None


class _PromptDetails(Struct, frozen=True):
    cached_tokens: int | None = None


class _CompletionDetails(Struct, frozen=True):
    reasoning_tokens: int | None = None


class _Usage(Struct, frozen=True):
    """prompt_cache_hit_tokens, cached_tokens: DeepSeek's and Moonshot's names for cached ones. total_tokens: more than the
    sum where reasoning isn't among completion_tokens: xAI's, and those of Gemini's OpenAI door. cost: in USD, of OpenRouter
    and others that take so much.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None
    prompt_cache_hit_tokens: int | None = None
    cached_tokens: int | None = None
    cost: Any = None


class _Groq(Struct, frozen=True):
    """Groq's own place for usage in a stream."""

    usage: _Usage | None = None


class _Frame(Struct, frozen=True):
    """One `data:` of a stream, or a whole completion. A choice's usage is Moonshot's place for it. object, message, code:
    vLLM's older way to tell an error.
    """

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    x_groq: _Groq | None = None
    error: Any = None
    object: Any = None
    message: Any = None
    code: Any = None


_decode_frame: Final = msgspec.json.Decoder(_Frame).decode

_REASONS: Final[dict[str, FinishReason]] = {
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
"""All others, such as `eos` and `end_turn`, mean stop."""


class _OpenCall:
    """A tool call while it comes in. held: arguments that came before the name."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.id: str | None = None
        self.opened = False
        self.held = ""


class _OpenChoice:
    """One choice while it comes in."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.calls: list[_OpenCall] = []
        self.by_wire_index: dict[int, _OpenCall] = {}
        self.details = Details()

    def call(self, fragment: _Call) -> _OpenCall:
        """Whose fragment it is. Some servers give no index, or 0 to every call: then a new id is a new call."""
        known = self.by_wire_index.get(fragment.index) if fragment.index is not None else None
        if fragment.index is None and self.calls and (not fragment.id or fragment.id == self.calls[-1].id):
            known = self.calls[-1]
        if known is None or (fragment.id and known.id and fragment.id != known.id):
            known = _OpenCall(len(self.calls))
            self.calls.append(known)
            if fragment.index is not None:
                self.by_wire_index[fragment.index] = known
        known.id = known.id or fragment.id or None
        return known


class Hearing:
    """From frames to deltas, for one answer; no I/O. name: the provider's, for messages."""

    def __init__(self, name: str, request_id: str) -> None:
        self._name = name
        self._request_id = request_id
        self._choices: dict[int, _OpenChoice] = {}
        self._usage = _Usage()
        self._marked = False

    def frame(self, data: bytes) -> list[Delta]:
        """What one `data:` says. Raises ProviderError for an error in it, BadAnswer if it is nothing known."""
        if data.strip() == b"[DONE]":
            self._marked = True
            return []
        try:
            frame = _decode_frame(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.foreign() from error
        if frame.error or frame.object == "error":
            raise failure(self._name, frame.error or {"message": frame.message, "code": frame.code})
        beside = [frame.x_groq.usage] if frame.x_groq else [choice.usage for choice in frame.choices or ()]
        told = [usage for usage in (frame.usage, *beside) if usage is not None]
        if told:
            self._usage = told[0]
        return [delta for place, choice in enumerate(frame.choices or ()) for delta in self._choice(choice, place)]

    @property
    def ended(self) -> bool:
        """The end mark came: nothing follows."""
        return self._marked

    @property
    def heard(self) -> bool:
        """Anything of an answer came."""
        return self._marked or bool(self._choices)

    def foreign(self) -> BadAnswer:
        """For what isn't in this format at all."""
        return BadAnswer(f"{self._name} answered something that isn't OpenAI's format: check base_url and wire")

    def end(self) -> list[Delta]:
        """The finishes. Raises NoAnswer for silence, Unreachable for an answer that broke off."""
        if not self._choices:
            if self._marked:
                raise NoAnswer
            raise cut(self._name, begun=False)
        if not self._marked and any(choice.reason is None for choice in self._choices.values()):
            raise cut(self._name, begun=True)
        deltas: list[Delta] = []
        for place, (index, choice) in enumerate(sorted(self._choices.items())):
            deltas += choice.details.end(index)
            deltas += [self._opening(call, index) for call in choice.calls if call.held and not call.opened]
            deltas.append(Finish(_reason(choice), self._usage_of(first=place == 0), index))
        return deltas

    def _usage_of(self, first: bool) -> Usage:
        """They count all choices together: the first carries what all of them took."""
        usage = self._usage
        prompt = usage.prompt_tokens_details
        completion = usage.completion_tokens_details
        cached = (prompt.cached_tokens if prompt else None) or usage.prompt_cache_hit_tokens or usage.cached_tokens
        read = usage.prompt_tokens or 0
        written = max(usage.completion_tokens or 0, (usage.total_tokens or 0) - read)
        return Usage(
            prompt_tokens=read,
            completion_tokens=written if first else 0,
            cached_tokens=cached or 0,
            reasoning_tokens=((completion.reasoning_tokens if completion else None) or 0) if first else 0,
            cost_usd=_told_cost(usage.cost) if first else None,
        )

    def _choice(self, choice: _Choice, place: int) -> list[Delta]:
        index = choice.index if choice.index is not None else place
        state = self._choices.setdefault(index, _OpenChoice())
        if choice.error or choice.finish_reason == "error":
            raise failure(self._name, choice.error)
        deltas: list[Delta] = []
        said = choice.delta or choice.message
        logprobs = logprobs_of(choice.logprobs.content if choice.logprobs else None)
        if said is not None:
            deltas += self._words(state, said, logprobs, index)
            for fragment in said.tool_calls or ():
                deltas += self._fragment(state, fragment, index)
            if said.function_call is not None:
                deltas += self._fragment(state, _Call(0, None, said.function_call), index)
        state.reason = choice.finish_reason or state.reason
        return deltas

    def _words(self, state: _OpenChoice, said: _Said, logprobs: tuple[Logprob, ...], index: int) -> list[Delta]:
        deltas: list[Delta] = list(state.details.read(said.reasoning_details or (), index))
        thought = said.reasoning_content or (said.reasoning if isinstance(said.reasoning, str) else "")
        if state.details.spoke:
            thought = ""  # the same words once more
        text = said.content if isinstance(said.content, str) else ""
        if isinstance(said.content, list):
            listed_thought, text = _from_list(said.content)
            thought += listed_thought
        text += said.refusal or ""
        if thought:
            deltas.append(ThoughtDelta(thought, choice=index))
        if text or said.tool_calls:
            deltas += state.details.end(index)
        if text or logprobs:
            deltas.append(TextDelta(text, logprobs, index))
        return deltas

    def _fragment(self, state: _OpenChoice, fragment: _Call, index: int) -> list[Delta]:
        call = state.call(fragment)
        function = fragment.function or _Function()
        arguments = function.arguments
        if arguments is not None and not isinstance(arguments, str):
            arguments = _encode(arguments).decode()  # an object, as in Ollama's own protocol
        if call.opened:
            return [ToolCallDelta(call.index, arguments=arguments, choice=index)] if arguments else []
        call.held += arguments or ""
        return [self._opening(call, index, function.name)] if function.name else []

    def _opening(self, call: _OpenCall, index: int, name: str = "") -> Delta:
        call.opened = True
        held, call.held = call.held, ""
        id = call.id or f"call_{self._request_id}_{index}_{call.index}"
        return ToolCallDelta(call.index, id, name, held, index)


def failure(name: str, error: object) -> ProviderError:
    """An error inside an answer. name: the provider's. Some give the status that it would have had as its code."""
    why = complaint(error)
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, str) and status.isdigit():
        status = int(status)
    if not isinstance(status, int) or not 400 <= status < 600:
        status = _STATUS_OF_CODE.get(why.code or "")
    return broken(name, status, why)


_STATUS_OF_CODE: Final = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "billing_error": 402,
    "overloaded_error": 529,
    "overloaded": 529,
    "server_is_overloaded": 503,
    "slow_down": 503,
    "server_error": 500,
    "internal_server_error": 500,
    "InternalServerError": 500,
    "api_error": 500,
    "timeout": 500,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "model_not_found": 404,
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "BadRequestError": 400,
    "context_length_exceeded": 400,
}
"""What the common codes in error frames would have been as a status."""


def _reason(choice: _OpenChoice) -> FinishReason:
    """Some say `stop` behind a tool call, and OpenAI does for a forced one: what counts is that there is a call."""
    reason = _REASONS.get(choice.reason or "", "stop")
    return "tool_calls" if reason == "stop" and any(call.opened for call in choice.calls) else reason


def _from_list(content: list[Any]) -> tuple[str, str]:
    """(thought, text) of a content list."""
    thought, text = "", ""
    for part in content:
        match part:
            case {"type": "text", "text": str(words)}:
                text += words
            case {"type": "thinking", "thinking": list(inner)}:
                thought += _from_list(inner)[1]
            case {"type": "thinking", "thinking": str(words)}:
                thought += words
    return thought, text


def logprobs_of(tokens: list[Token] | None) -> tuple[Logprob, ...]:
    """Those that have one."""
    return tuple(
        Logprob(
            _piece(token),
            token.logprob,
            tuple(Alternative(_piece(top), top.logprob) for top in token.top_logprobs or () if top.logprob is not None),
        )
        for token in tokens or ()
        if token.logprob is not None
    )


def _piece(token: _Top) -> bytes:
    if token.bytes is not None and all(0 <= byte < 256 for byte in token.bytes):
        return bytes(token.bytes)
    return token.token.encode(errors="replace")


def _told_cost(cost: Any) -> float | None:
    """A provider's word for what it takes, if it is one: some have other things in this field."""
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < 1e6:
        return None
    return float(cost)

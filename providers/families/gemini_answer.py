"""What Gemini answers, from frames to deltas; no I/O.

A stream has no end mark: an answer has ended if each of its candidates said why. A blocked prompt is an answer without
candidates.
"""

from __future__ import annotations

from typing import Final, Literal

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
from providers.families.json_object import text_of
from providers.refusals import broken, complaint, cut
from providers.wire import gemini as wire

_decode: Final = msgspec.json.Decoder(wire.Answer).decode
_encode: Final = msgspec.json.Encoder().encode

_FILTERED: Final = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "MODEL_ARMOR",
    }
)
_BROKEN: Final = frozenset(
    {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
    }
)
"""The model wrote something that their server could make nothing of."""


class Note(Struct, frozen=True, omit_defaults=True):
    """Where a signature stood: at a call, whose it then is; at words, of which it signed the last `chars`; at a thought."""

    at: Literal["call", "text", "thought"] = "call"
    chars: int = 0
    signature: str | None = None


note_of: Final = msgspec.json.Decoder(Note).decode


class _Open:
    """One candidate while it comes in."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.calls = 0
        self.spoke = False


class Hearing:
    """From frames to deltas, for one answer; no I/O. name: the provider's, for messages."""

    ended = False
    """Never before the connection says so: what follows a reason to finish can still be counts."""

    def __init__(self, name: str, request_id: str) -> None:
        self._name = name
        self._request_id = request_id
        self._open: dict[int, _Open] = {}
        self._usage = wire.UsageMetadata()
        self._blocked = False
        self._any = False

    def frame(self, data: bytes) -> list[Delta]:
        """What one `data:` says, or the whole answer. Raises ProviderError for an error in it."""
        try:
            frame = _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.foreign() from error
        if frame.error:
            raise self._failed(frame.error)
        self._any = self._any or bool(frame.candidates or frame.prompt_feedback or frame.usage_metadata)
        if frame.usage_metadata is not None:
            self._usage = frame.usage_metadata
        if frame.prompt_feedback is not None and frame.prompt_feedback.block_reason:
            self._blocked = True
        return [delta for candidate in frame.candidates or () for delta in self._candidate(candidate)]

    @property
    def heard(self) -> bool:
        """Anything of an answer came."""
        return self._any

    def foreign(self) -> BadAnswer:
        """For what isn't in this format at all."""
        return BadAnswer(f"{self._name} answered something that isn't Gemini's format: check base_url and wire")

    def end(self) -> list[Delta]:
        """The finishes. Raises NoAnswer for silence, Unreachable for an answer that broke off."""
        if self._blocked and not self._open:
            return [Finish("content_filter", self._usage_of(first=True))]
        if not self._open:
            if self._any:
                raise NoAnswer
            raise cut(self._name, begun=False)
        if not self._blocked and any(each.reason is None for each in self._open.values()):
            raise cut(self._name, begun=True)
        reasons = {index: self._reason(each) for index, each in sorted(self._open.items())}
        if not any(each.spoke for each in self._open.values()) and set(reasons.values()) == {"stop"}:
            raise NoAnswer
        return [
            Finish(reason, self._usage_of(first=place == 0), index)
            for place, (index, reason) in enumerate(reasons.items())
        ]

    def _candidate(self, candidate: wire.Candidate) -> list[Delta]:
        state = self._open.setdefault(candidate.index, _Open())
        deltas: list[Delta] = []
        content = candidate.content or wire.Content()
        for part in content.parts or ():
            deltas += self._part(state, part, candidate.index)
        if logprobs := _logprobs(candidate.logprobs_result):
            deltas.append(TextDelta("", logprobs, candidate.index))
        state.spoke = state.spoke or bool(deltas)
        state.reason = candidate.finish_reason or state.reason
        if state.reason in _BROKEN:
            raise BadAnswer(f"{self._name}'s model broke its answer off ({state.reason}): ask again")
        return deltas

    def _part(self, state: _Open, part: wire.Part, index: int) -> list[Delta]:
        signature, text = part.thought_signature or None, part.text or ""
        if part.function_call is not None:
            return [self._call(state, part.function_call, signature, index)]
        if part.thought:
            if signature is None:
                return [ThoughtDelta(text, choice=index)] if text else []
            return [ThoughtDelta(text, signature, index, note=_written(Note("thought")))]
        deltas: list[Delta] = [TextDelta(text, choice=index)] if text else []
        if signature is not None:
            note = _written(Note("text", len(text)))
            deltas.append(ThoughtDelta("", signature, index, redacted=True, note=note))
        return deltas

    def _call(self, state: _Open, call: wire.FunctionCall, signature: str | None, index: int) -> ToolCallDelta:
        place, state.calls = state.calls, state.calls + 1
        id = call.id or f"call_{self._request_id}_{index}_{place}"
        try:
            arguments = text_of(call.args)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self.foreign() from error
        note = _written(Note(signature=signature)) if signature is not None else None
        return ToolCallDelta(place, id, call.name, arguments, index, note=note)

    def _reason(self, state: _Open) -> FinishReason:
        if state.reason in _FILTERED or (self._blocked and state.reason is None):
            return "content_filter"
        if state.reason == "MAX_TOKENS":
            return "length"
        return "tool_calls" if state.calls else "stop"

    def _usage_of(self, first: bool) -> Usage:
        """They count all candidates together: the first carries what all of them took."""
        usage = self._usage
        thoughts = usage.thoughts_token_count or 0
        return Usage(
            prompt_tokens=(usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0),
            completion_tokens=(usage.candidates_token_count or 0) + thoughts if first else 0,
            cached_tokens=usage.cached_content_token_count or 0,
            reasoning_tokens=thoughts if first else 0,
        )

    def _failed(self, error: object) -> ProviderError:
        """An error inside an answer, with the status that it would have had as its code."""
        why = complaint(error)
        status = error.get("code") if isinstance(error, dict) else None
        return broken(self._name, status if isinstance(status, int) else None, why)


def _written(note: Note) -> str:
    return _encode(note).decode()


def _logprobs(result: wire.LogprobsResult | None) -> tuple[Logprob, ...]:
    if result is None:
        return ()
    chosen, tops = result.chosen_candidates or [], result.top_candidates or []
    return tuple(
        Logprob(
            token.token.encode(errors="replace"),
            token.log_probability,
            tuple(
                Alternative(top.token.encode(errors="replace"), top.log_probability)
                for top in ((tops[place].candidates or ()) if place < len(tops) else ())
                if top.log_probability is not None
            ),
        )
        for place, token in enumerate(chosen)
        if token.log_probability is not None
    )

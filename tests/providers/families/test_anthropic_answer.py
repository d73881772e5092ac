"""Anthropic's events and messages, bytes to deltas."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from providers.contract import (
    BadAnswer,
    Delta,
    Finish,
    KeyRejected,
    NoAnswer,
    NoCredit,
    Overloaded,
    Progress,
    ProviderError,
    RateLimited,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Unreachable,
    Unsupported,
    Usage,
)
from providers.families.answer_bytes import AnswerReader
from providers.families.anthropic_answer import MessageHearing
from tests.fakes.anthropic_events import block, ending, event, message, start, words


def heard(*pieces: bytes | Iterable[bytes], events: bool = True) -> list[Delta]:
    reader = AnswerReader(MessageHearing("work", "0" * 16))
    flat = [each for piece in pieces for each in ([piece] if isinstance(piece, bytes) else piece)]
    deltas = [delta for piece in flat for delta in reader.feed(piece)]
    return [*deltas, *reader.end(events)]


def whole(value: Any) -> list[Delta]:
    return heard(json.dumps(value).encode(), events=False)


def finish(deltas: list[Delta]) -> Finish:
    last = deltas[-1]
    assert isinstance(last, Finish)
    return last


SIGNED = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Hm"},
    {"type": "thinking_delta", "thinking": "m."},
    {"type": "signature_delta", "signature": "Er/+"},
    {"type": "signature_delta", "signature": "aA=="},
)


def test_a_stream_of_all_blocks() -> None:
    """Signed and hidden reasoning, words and calls, in their order."""
    call = block(
        3,
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
        {"type": "input_json_delta", "partial_json": ""},
        {"type": "input_json_delta", "partial_json": '{"at"'},
        {"type": "input_json_delta", "partial_json": ": 1.50}"},
    )
    hidden = block(1, {"type": "redacted_thinking", "data": "b+/="})

    told = heard(start(), SIGNED, hidden, words(2, "So"), call, ending("tool_use"))

    assert told == [
        ThoughtDelta("Hm"),
        ThoughtDelta("m."),
        ThoughtDelta("", "Er/+aA=="),
        ThoughtDelta("", "b+/=", redacted=True),
        TextDelta("So"),
        ToolCallDelta(0, "toolu_1", "look"),
        ToolCallDelta(0, arguments='{"at"'),
        ToolCallDelta(0, arguments=": 1.50}"),
        Finish("tool_calls", Usage(7, 2)),
    ]


def test_a_whole_message_says_the_same() -> None:
    """Input is given to the byte, as a stream would have."""
    raw = (
        b'{"type":"message","content":[{"type":"thinking","thinking":"Hm","signature":"Er/+"},'
        b'{"type":"redacted_thinking","data":"b+/="},{"type":"text","text":"So"},'
        b'{"type":"tool_use","id":"t","name":"look","input":{"at": 1.50, "big": 1180591620717411303424}}],'
        b'"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":2}}'
    )

    assert heard(raw, events=False) == [
        ThoughtDelta("Hm"),
        ThoughtDelta("", "Er/+"),
        ThoughtDelta("", "b+/=", redacted=True),
        TextDelta("So"),
        ToolCallDelta(0, "t", "look"),
        ToolCallDelta(0, arguments='{"at": 1.50, "big": 1180591620717411303424}'),
        Finish("tool_calls", Usage(7, 2)),
    ]


@pytest.mark.parametrize(
    ("given", "pieces", "arguments"),
    [
        ({}, (), "{}"),
        ({}, ("",), "{}"),
        ({"at": 1}, (), '{"at": 1}'),
        ({"at": 1}, ('{"at": 2}',), '{"at": 2}'),
    ],
)
def test_where_a_calls_input_may_stand(given: Any, pieces: tuple[str, ...], arguments: str) -> None:
    """Where it begins, in pieces, or nowhere: the client gets an object once."""
    said = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    call = block(0, {"type": "tool_use", "id": "t", "name": "look", "input": given}, *said)

    told = heard(start(), call, ending("tool_use"))

    assert "".join(delta.arguments for delta in told if isinstance(delta, ToolCallDelta)) == arguments


def test_pieces_of_parallel_calls_may_be_mixed() -> None:
    """They are told apart by their block."""
    opened = [event("content_block_start", index=n, content_block=_call(n)) for n in (0, 1)]
    mixed = [
        event("content_block_delta", index=n, delta={"type": "input_json_delta", "partial_json": piece})
        for n, piece in ((0, "{"), (1, "{"), (0, '"a":0}'), (1, '"a":1}'))
    ]

    told = [delta for delta in heard(start(), opened, mixed, ending("tool_use")) if isinstance(delta, ToolCallDelta)]

    for n in (0, 1):
        assert "".join(delta.arguments for delta in told if delta.index == n) == f'{{"a":{n}}}'


def _call(number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"t{number}", "name": "look", "input": {}}


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "content_filter"),
        ("tomorrows", "stop"),
    ],
)
def test_reasons(reason: str, told: str) -> None:
    """Why it ended, streamed and whole."""
    assert finish(heard(start(), words(0, "So"), ending(reason))).reason == told
    assert finish(whole(message({"type": "text", "text": "So"}, reason=reason))).reason == told


def test_the_stop_string_that_was_met() -> None:
    """It is told with the end."""
    last = finish(heard(start(), words(0, "So"), ending("stop_sequence", "END")))

    assert (last.reason, last.stop) == ("stop", "END")


def test_an_answer_without_words_is_one() -> None:
    """Claude says nothing where it has nothing to add to a tool's result, and where it refuses."""
    assert heard(start(), ending()) == [Finish("stop", Usage(7, 2))]
    assert heard(start(), ending("refusal")) == [Finish("content_filter", Usage(7, 2))]


def test_why_it_refuses() -> None:
    """In its makers' words, if the model said none of its own."""
    why = {"type": "refusal", "category": "cyber", "explanation": "Not this."}
    last = event("message_delta", delta={"stop_reason": "refusal", "stop_details": why}, usage={"output_tokens": 2})

    assert heard(start(), last)[0] == TextDelta("Not this.")
    assert heard(start(), words(0, "No."), last)[:-1] == [TextDelta("No.")]


# ---- counting -------------------------------------------------------------------------------------------------------


def test_what_is_read_and_written_is_part_of_the_prompt() -> None:
    """Anthropic counts beside its input what came from the cache, and what went into it for minutes and for an hour."""
    creation = {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 20}
    usage = {"input_tokens": 3, "cache_read_input_tokens": 4000, "cache_creation_input_tokens": 120}
    counted = Usage(4123, 9, 4000, 5, 100, 20)
    details = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 5}}

    assert finish(heard(start(**usage, cache_creation=creation), ending(**details))).usage == counted
    assert finish(whole(message(**usage, **details, cache_creation=creation))).usage == counted


def test_counts_that_grow() -> None:
    """The last event tells all of them again, and no share of what was written for an hour."""
    late = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7, "output_tokens": 30}

    assert finish(heard(start(input_tokens=3), ending(**late))).usage == Usage(22, 30, 5, 0, 7)
    assert finish(heard(start(input_tokens=3), ending(input_tokens=0, output_tokens=4))).usage == Usage(3, 4)
    assert finish(heard(start(input_tokens=0), ending(input_tokens=8, output_tokens=4))).usage == Usage(8, 4)
    assert finish(heard(start(input_tokens=3), ending(input_tokens=None, output_tokens=4))).usage == Usage(3, 4)


def test_counts_that_were_reckoned_first() -> None:
    """Another Nearloop knows the prompt's length at the end only: its last word counts, zeros in it included."""
    late = {"input_tokens": 0, "cache_read_input_tokens": 4000, "cache_creation_input_tokens": 0, "output_tokens": 4}

    assert finish(heard(start(input_tokens=4100), ending(**late))).usage == Usage(4000, 4, 4000)


# ---- what goes wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overloaded_error", Overloaded),
        ("rate_limit_error", RateLimited),
        ("api_error", Unreachable),
        ("timeout_error", Unreachable),
        ("authentication_error", KeyRejected),
        ("permission_error", KeyRejected),
        ("billing_error", NoCredit),
        ("invalid_request_error", Unsupported),
        ("request_too_large", Unsupported),
        ("not_found_error", Unsupported),
        ("tomorrows_error", BadAnswer),
    ],
)
def test_errors_inside_a_stream(kind: str, error: type[ProviderError]) -> None:
    """They mean what the same error means as a status, and their words are not told."""
    broken = event("error", error={"type": kind, "message": "the user's secret words"}, request_id="r")

    with pytest.raises(error) as caught:
        heard(start(), words(0, "So"), broken)
    assert type(caught.value) is error
    assert "secret" not in str(caught.value)
    with pytest.raises(error):
        whole({"type": "error", "error": {"type": kind, "message": "x"}})


def test_broken_off_and_ended() -> None:
    """A reason or the end mark end an answer; without either it broke off."""
    assert finish(heard(start(), words(0, "So"), ending()[0])).reason == "stop"
    assert finish(heard(start(), words(0, "So"), ending()[1])).reason == "stop"
    with pytest.raises(Unreachable, match="mid-answer"):
        heard(start(), words(0, "So"))
    with pytest.raises(Unreachable, match="without an answer"):
        heard(event("ping"))
    with pytest.raises(NoAnswer):
        heard(event("message_stop"))


@pytest.mark.parametrize("body", [b"<html>", b'{"choices": []}', b"data: {}\n\n", b"data: nonsense\n\n", b"[1]"])
def test_what_is_another_format(body: bytes) -> None:
    """It is said to be none, whatever it is."""
    with pytest.raises(BadAnswer, match="Anthropic's format"):
        heard(body, events=False)


def test_what_is_not_known_yet() -> None:
    """Events, pieces and fields of tomorrow's change nothing."""
    pieces = ({"type": "citations_delta", "citation": {}}, {"type": "text_delta", "text": "So"}, {"type": "new_delta"})
    text = block(0, {"type": "text", "text": "", "new": 1}, *pieces)

    told = heard(start(), event("tomorrows", index="x", delta=None), text, b"data: [DONE]\n\n", ending())

    assert told == [TextDelta("So"), Finish("stop", Usage(7, 2))]


def test_a_servers_own_tools() -> None:
    """They are told as what is waited for; if nothing else is said, that is no answer, by its name."""
    own = (
        *block(0, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        *block(1, {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": "https://x"}]}),
    )

    told = heard(start(), own, words(2, "So"), ending())

    assert told[:3] == [Progress("server_tool_use"), Progress("web_search_tool_result"), TextDelta("So")]
    with pytest.raises(BadAnswer, match="web_search_tool_result"):
        heard(start(), own, ending("pause_turn"))
    with pytest.raises(BadAnswer, match="aren't known") as caught:
        whole(message({"type": "The user's words"}))
    assert "user" not in str(caught.value)

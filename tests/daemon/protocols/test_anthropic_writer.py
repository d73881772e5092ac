"""Anthropic's events and messages, values to bytes."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.protocols.anthropic_writer import MessageWriter, expected_tokens, input_of
from daemon.protocols.base import Problem
from providers.contract import (
    BadAnswer,
    Choice,
    Delta,
    Finish,
    FinishReason,
    Image,
    Message,
    Progress,
    Request,
    Response,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Usage,
    fold,
)

ASKED: Final = Request(
    id="00000000000000aa", model="m", protocol="anthropic", messages=(Message("user", (Text("x" * 40),)),)
)
USAGE: Final = Usage(7, 3, cached_tokens=2, reasoning_tokens=1)


def events(*deltas: Delta, shows: bool = True) -> list[dict[str, Any]]:
    """What a client reads, with the names of events held against their data."""
    writer = MessageWriter(ASKED, shows)
    raw = b"".join(writer.feed(delta, "local/play") for delta in deltas) + writer.end()
    found = []
    for frame in raw.decode().split("\n\n")[:-1]:
        name, data = frame.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        found.append(event)
    return found


def brief(found: list[dict[str, Any]]) -> list[str]:
    """Types, with the block's or the delta's in place of the event's."""
    inner = [event.get("content_block") or event.get("delta") or {} for event in found]
    return [
        f"{event['type'].removeprefix('content_block_')} {of['type']}" if "type" in of else event["type"]
        for event, of in zip(found, inner, strict=True)
    ]


def test_words() -> None:
    """One message_start, one block, its words as they came, the reason with the count, and the end."""
    found = events(TextDelta("Hel"), TextDelta("lo"), Finish("stop", USAGE))

    assert brief(found) == [
        "message_start",
        "start text",
        "delta text_delta",
        "delta text_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [event["delta"]["text"] for event in found[2:4]] == ["Hel", "lo"]
    assert found[0]["message"] | {"usage": None} == {
        "id": "msg_00000000000000aa",
        "type": "message",
        "role": "assistant",
        "model": "local/play",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": None,
    }
    assert found[-2]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}


def test_usage() -> None:
    """What was read from a cache is counted beside the input; the beginning has an expectation, and every field."""
    first, last = events(TextDelta("x"), Finish("stop", USAGE))[0], events(TextDelta("x"), Finish("stop", USAGE))[-2]

    assert first["message"]["usage"]["input_tokens"] == 10
    fields = {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}
    assert fields <= first["message"]["usage"].keys()
    assert last["usage"]["input_tokens"] + last["usage"]["cache_read_input_tokens"] == 7
    assert (last["usage"]["output_tokens"], last["usage"]["cache_read_input_tokens"]) == (3, 2)
    assert last["usage"]["output_tokens_details"] == {"thinking_tokens": 1}


def test_the_first_words_are_not_swallowed() -> None:
    """Empty pieces make no block and no event; the first that says something is the first that is sent."""
    found = events(
        TextDelta(""), ThoughtDelta(""), TextDelta("a"), TextDelta(""), TextDelta("b"), Finish("stop", USAGE)
    )

    assert [event["delta"]["text"] for event in found if event["type"] == "content_block_delta"] == ["a", "b"]
    assert brief(found).count("start text") == 1


def test_blocks_of_several_kinds() -> None:
    """Each kind has a block of its own, numbered in order, closed before the next begins; calls come with their input."""
    found = events(
        ThoughtDelta("h"),
        ThoughtDelta("m"),
        ThoughtDelta("", "sig/+="),
        ThoughtDelta("", "sealed", redacted=True),
        TextDelta("so"),
        ToolCallDelta(0, "t1", "look", '{"a"'),
        ToolCallDelta(0, arguments=": 1}"),
        ToolCallDelta(1, "t2", "look"),
        Finish("tool_calls", USAGE),
    )

    assert brief(found)[1:-2] == [
        "start thinking",
        "delta thinking_delta",
        "delta thinking_delta",
        "delta signature_delta",
        "content_block_stop",
        "start redacted_thinking",
        "content_block_stop",
        "start text",
        "delta text_delta",
        "content_block_stop",
        "start tool_use",
        "delta input_json_delta",
        "delta input_json_delta",
        "content_block_stop",
        "start tool_use",
        "content_block_stop",
    ]
    assert [event["index"] for event in found if event["type"] == "content_block_start"] == [0, 1, 2, 3, 4]
    starts = [event["content_block"] for event in found if event["type"] == "content_block_start"]
    assert starts[1] == {"type": "redacted_thinking", "data": "sealed"}
    assert starts[3] == {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    assert found[4]["delta"]["signature"] == "sig/+="
    assert found[-2]["delta"]["stop_reason"] == "tool_use"


def test_thoughts_with_words_in_between() -> None:
    """A thought behind words is another block, never a piece of the words' one."""
    found = events(TextDelta("a"), ThoughtDelta("b"), TextDelta("c"), Finish("stop", USAGE))

    assert [name for name in brief(found) if name.startswith("start")] == ["start text", "start thinking", "start text"]


def test_calls_that_come_mixed_are_an_error() -> None:
    """Blocks can't be opened again: a piece of a call that is closed has no place."""
    with pytest.raises(BadAnswer):
        events(
            ToolCallDelta(0, "t1", "look", "{"),
            ToolCallDelta(1, "t2", "look", "{}"),
            ToolCallDelta(0, arguments="}"),
        )


@pytest.mark.parametrize("arguments", ["{", "[1]", '"x"', "null", "{} {}"])
def test_a_call_without_an_input_is_an_error(arguments: str) -> None:
    """What is no JSON object is told as a bad answer, whole and streamed, before the client acts on it."""
    with pytest.raises(BadAnswer):
        events(ToolCallDelta(0, "t1", "look", arguments), Finish("tool_calls", USAGE))
    whole = Response((Choice((ToolCall("t1", "look", arguments),), "tool_calls"),), USAGE)
    with pytest.raises(BadAnswer):
        MessageWriter(ASKED).whole(whole, "m")


@pytest.mark.parametrize("arguments", ["", "  ", "{}"])
def test_a_call_of_nothing(arguments: str) -> None:
    """No arguments are an empty input."""
    assert input_of(arguments) == {}


@pytest.mark.parametrize(
    ("reason", "stop", "told"),
    [
        ("stop", None, ("end_turn", None)),
        ("stop", "END", ("stop_sequence", "END")),
        ("length", None, ("max_tokens", None)),
        ("tool_calls", None, ("tool_use", None)),
        ("content_filter", None, ("refusal", None)),
    ],
)
def test_reasons(reason: FinishReason, stop: str | None, told: tuple[str, str | None]) -> None:
    """Every reason has Anthropic's name, streamed and whole, and a stop string is told where it is known."""
    ending = events(TextDelta("x"), Finish(reason, USAGE, stop=stop))[-2]["delta"]
    whole = json.loads(MessageWriter(ASKED).whole(Response((Choice((), reason, (), stop),), USAGE), "m"))

    assert (ending["stop_reason"], ending["stop_sequence"]) == told
    assert (whole["stop_reason"], whole["stop_sequence"]) == told


def test_a_whole_message() -> None:
    """The same parts as blocks of one message."""
    parts = (
        Thought("hm", "sig"),
        Thought("", "sealed", redacted=True),
        Thought("unsigned"),
        Text("so"),
        ToolCall("t1", "look", '{"a": {"b": [1]}}'),
    )
    whole = json.loads(MessageWriter(ASKED).whole(Response((Choice(parts, "tool_calls"),), USAGE), "local/play"))

    assert whole["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "sealed"},
        {"type": "thinking", "thinking": "unsigned", "signature": ""},
        {"type": "text", "text": "so", "citations": None},
        {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": {"b": [1]}}},
    ]
    assert (whole["model"], whole["usage"]["input_tokens"]) == ("local/play", 5)


def test_thoughts_may_be_left_out() -> None:
    """Who asks for thinking without its words gets signatures alone."""
    found = events(ThoughtDelta("hm"), ThoughtDelta("", "sig"), TextDelta("so"), Finish("stop", USAGE), shows=False)

    assert "delta thinking_delta" not in brief(found)
    assert "delta signature_delta" in brief(found)
    unsigned = events(ThoughtDelta("hm"), TextDelta("so"), Finish("stop", USAGE), shows=False)
    assert "start thinking" not in brief(unsigned)
    whole = Response((Choice((Thought("hm", "sig"), Thought("x"), Text("so")), "stop"),), USAGE)
    assert [block["type"] for block in json.loads(MessageWriter(ASKED, False).whole(whole, "m"))["content"]] == [
        "thinking",
        "text",
    ]


def test_signs_of_life_come_at_any_time() -> None:
    """A ping is no part of the message, and what is waited for becomes one."""
    writer = MessageWriter(ASKED)

    assert writer.feed(Progress("loading"), "m") == writer.heartbeat() == b'event: ping\ndata: {"type":"ping"}\n\n'
    assert b"message_start" in writer.feed(TextDelta("x"), "m")


def test_an_error_in_mid_stream() -> None:
    """It has Anthropic's type and the request's id, overload included."""
    raw = MessageWriter(ASKED).failed(Problem(503, "overloaded", "later"))
    name, data = raw.decode().strip().split("\n")

    assert name == "event: error"
    assert json.loads(data.removeprefix("data: ")) == {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "later", "details": {"error_code": "overloaded"}},
        "request_id": "00000000000000aa",
    }


def test_who_counts_nothing_gets_an_expectation() -> None:
    """A provider without a count leaves no zero, which some clients take for a fault."""
    assert events(TextDelta("x"), Finish("stop", Usage(0, 0)))[-2]["usage"]["input_tokens"] == 10


def test_expected_tokens() -> None:
    """By the characters of everything that goes into a prompt, and never none."""
    parts = (Text("x" * 8), Thought("y" * 4), ToolCall("c", "look", "{}"), ToolResult("c", (Text("z" * 4), Image("u"))))
    request = Request(
        id="a", model="m", protocol="t", messages=(Message("user", parts),), tools=(Tool("look", "Looks.", {}),)
    )

    assert expected_tokens(request) == (8 + 4 + 6 + 4 + 4 + 6 + 2) // 4
    assert expected_tokens(Request(id="a", model="m", protocol="t", messages=(Message("user", ()),))) == 1


PIECES: Final = st.lists(
    st.builds(TextDelta, st.text(max_size=5))
    | st.builds(ThoughtDelta, st.text(max_size=5), st.none() | st.text(min_size=1, max_size=5))
    | st.builds(lambda data: ThoughtDelta("", data, redacted=True), st.text(min_size=1, max_size=5)),
    max_size=8,
)


@settings(deadline=None)
@given(pieces=PIECES, calls=st.lists(st.dictionaries(st.text(max_size=3), st.integers()), max_size=3))
async def test_streamed_and_whole_are_the_same_message(
    pieces: list[TextDelta | ThoughtDelta], calls: list[dict[str, int]]
) -> None:
    """What a client puts together of the events is the message that it would have got in one piece."""
    deltas: list[Delta] = [*pieces]
    deltas += [ToolCallDelta(n, f"t{n}", "look", json.dumps(given)) for n, given in enumerate(calls)]
    deltas.append(Finish("stop", USAGE))

    async def stream() -> Any:
        for delta in deltas:
            yield delta

    whole = json.loads(MessageWriter(ASKED).whole(await fold(stream()), "local/play"))
    blocks: list[dict[str, Any]] = []
    inputs: dict[int, str] = {}
    for event in events(*deltas):
        match event:
            case {"type": "content_block_start", "content_block": block}:
                blocks.append(block)
            case {"type": "content_block_delta", "index": n, "delta": {"type": "text_delta", "text": text}}:
                blocks[n]["text"] += text
            case {"type": "content_block_delta", "index": n, "delta": {"type": "thinking_delta", "thinking": text}}:
                blocks[n]["thinking"] += text
            case {"type": "content_block_delta", "index": n, "delta": {"type": "signature_delta", "signature": sign}}:
                blocks[n]["signature"] = sign
            case {
                "type": "content_block_delta",
                "index": n,
                "delta": {"type": "input_json_delta", "partial_json": text},
            }:
                inputs[n] = inputs.get(n, "") + text
    for n, text in inputs.items():
        blocks[n]["input"] = json.loads(text)

    assert blocks == whole["content"]

"""OpenAI Responses, from deltas to events and the object that they add up to."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.protocols import openai_responses as codec
from daemon.protocols.base import Envelope, Problem
from daemon.protocols.responses_output import ResponseWriter
from providers.contract import (
    Alternative,
    Choice,
    Delta,
    Finish,
    FinishReason,
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

ENVELOPE: Final = Envelope("00000000000000aa", None, None, None, "any", 1_700_000_000)
USAGE: Final = Usage(7, 5, 3, 2)
END: Final = Finish("stop", USAGE)
LOGPROB: Final = Logprob(b"a", -0.5, (Alternative(b"a", -0.5), Alternative(b"b", -1.5)))


def request(**fields: Any) -> Request:
    return codec.read(json.dumps({"model": "local", "input": "hi", **fields}).encode(), ENVELOPE)


def writer(**fields: Any) -> ResponseWriter:
    return codec.writer(request(**fields), ENVELOPE)


def events_of(raw: bytes) -> list[dict[str, Any]]:
    events = []
    for frame in raw.decode().split("\n\n")[:-1]:
        name, data = frame.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events


def stream(*deltas: Delta, **fields: Any) -> list[dict[str, Any]]:
    out = writer(**fields)
    return events_of(b"".join(out.feed(delta, "local/play") for delta in deltas) + out.end())


def names(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def test_words() -> None:
    """The events of a plain answer, numbered without a gap, each with its places."""
    events = stream(TextDelta("Hel"), TextDelta("lo"), END)

    assert names(events) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event.get("delta") for event in events[4:6]] == ["Hel", "lo"]
    assert all(
        (event["output_index"], event["content_index"], event["logprobs"]) == (0, 0, []) for event in events[4:7]
    )
    assert events[6]["text"] == events[7]["part"]["text"] == events[8]["item"]["content"][0]["text"] == "Hello"
    assert len({event.get("item_id") or event["item"]["id"] for event in events[2:9]}) == 1
    assert (events[0]["response"]["status"], events[0]["response"]["output"]) == ("in_progress", [])
    assert (events[2]["item"]["status"], events[2]["item"]["content"]) == ("in_progress", [])


def test_the_last_event_has_everything() -> None:
    """It has the output, the usage, who answered, and what the client had said."""
    tools = [{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": None}]
    last = stream(
        TextDelta("so"), END, instructions="be brief", metadata={"a": "b"}, tools=tools, temperature=0.5, store=False
    )[-1]["response"]

    assert last["id"] == "resp_00000000000000aa"
    assert (last["object"], last["status"], last["model"]) == ("response", "completed", "local/play")
    assert last["usage"] == {
        "input_tokens": 7,
        "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 12,
    }
    assert (last["instructions"], last["metadata"], last["tools"], last["temperature"], last["store"]) == (
        "be brief",
        {"a": "b"},
        tools,
        0.5,
        False,
    )
    assert (last["tool_choice"], last["parallel_tool_calls"], last["text"]["format"]["type"]) == ("auto", True, "text")
    assert last["error"] is last["incomplete_details"] is None


def test_reasoning_then_words_then_calls() -> None:
    """Each kind is an item of its own, in order; calls may be mixed and are told apart by their places."""
    events = stream(
        ThoughtDelta("hm"),
        ThoughtDelta("", "sé="),
        TextDelta("wait"),
        ToolCallDelta(0, "c1", "look", '{"a"'),
        ToolCallDelta(1, "c2", "go", "{}"),
        ToolCallDelta(0, arguments=": 1}"),
        Finish("tool_calls", USAGE),
    )
    output = events[-1]["response"]["output"]

    assert [item["type"] for item in output] == ["reasoning", "message", "function_call", "function_call"]
    assert output[0]["content"] == [{"type": "reasoning_text", "text": "hm"}]
    assert (output[0]["encrypted_content"], output[0]["summary"]) == ("sé=", [])
    assert [(item["call_id"], item["name"], item["arguments"]) for item in output[2:]] == [
        ("c1", "look", '{"a": 1}'),
        ("c2", "go", "{}"),
    ]
    assert {item["status"] for item in output} == {"completed"}
    pieces = [(event["output_index"], event["delta"]) for event in events if event["type"].endswith("arguments.delta")]
    assert pieces == [(2, '{"a"'), (3, "{}"), (2, ": 1}")]
    done = [(event["output_index"], event["arguments"]) for event in events if event["type"].endswith("arguments.done")]
    assert done == [(2, '{"a": 1}'), (3, "{}")]
    added = [event["output_index"] for event in events if event["type"] == "response.output_item.added"]
    ended = [event["output_index"] for event in events if event["type"] == "response.output_item.done"]
    assert added == ended == [0, 1, 2, 3]
    assert "response.reasoning_text.delta" in [event["type"] for event in events]


def test_thoughts_are_kept_apart_by_their_seals() -> None:
    """Behind a seal another thought begins, and one that only its maker can read stands alone."""
    output = stream(
        ThoughtDelta("a", "s1"), ThoughtDelta("b"), ThoughtDelta("", "s2", redacted=True), TextDelta("x"), END
    )[-1]["response"]["output"]

    assert [(item.get("encrypted_content"), [part["text"] for part in item["content"]]) for item in output] == [
        ("s1", ["a"]),
        (None, ["b"]),
        ("s2", []),
        (None, ["x"]),
    ]


def test_a_call_of_free_text() -> None:
    """A tool that takes free text is called with it, and not with the JSON that it was on the way."""
    events = stream(
        ToolCallDelta(0, "c1", "write", '{"input": "a '),
        ToolCallDelta(0, arguments='\\"b\\""}'),
        Finish("tool_calls", USAGE),
        tools=[{"type": "custom", "name": "write"}],
    )

    (item,) = events[-1]["response"]["output"]
    assert (item["type"], item["call_id"], item["name"], item["input"]) == ("custom_tool_call", "c1", "write", 'a "b"')
    assert names(events)[2:6] == [
        "output_item.added",
        "custom_tool_call_input.delta",
        "custom_tool_call_input.done",
        "output_item.done",
    ]
    assert events[3]["delta"] == events[4]["input"] == 'a "b"'


def test_a_call_in_a_namespace() -> None:
    """A function that has a namespace is called by both of its names, and the call reads back as the same one."""
    inner = {"type": "function", "name": "look", "parameters": {"type": "object"}}
    tools = [{"type": "namespace", "name": "maps", "description": "d", "tools": [inner, {"type": "web_search"}]}]
    asked = request(tools=tools)
    assert [tool.name for tool in asked.tools] == ["maps__look"]
    assert asked.ignored == ("tools.namespace",)

    (item,) = stream(ToolCallDelta(0, "c1", "maps__look", "{}"), Finish("tool_calls", USAGE), tools=tools)[-1][
        "response"
    ]["output"]

    assert (item["type"], item["namespace"], item["name"]) == ("function_call", "maps", "look")
    back = request(tools=tools, input=[{"role": "user", "content": "x"}, item]).messages[1].parts
    assert back == (ToolCall("c1", "maps__look", "{}"),)


@pytest.mark.parametrize(("reason", "told"), [("length", "max_output_tokens"), ("content_filter", "content_filter")])
def test_an_answer_that_was_cut(reason: FinishReason, told: str) -> None:
    """It ends with an event of its own that says why."""
    event = stream(TextDelta("so"), Finish(reason, USAGE))[-1]

    assert event["type"] == "response.incomplete"
    assert (event["response"]["status"], event["response"]["incomplete_details"]) == ("incomplete", {"reason": told})
    assert event["response"]["output"][0]["status"] == "incomplete"


def test_an_empty_answer_is_an_empty_message() -> None:
    """Who said nothing said nothing, in a message."""
    assert stream(END)[-1]["response"]["output"][0]["content"] == [
        {"type": "output_text", "text": "", "logprobs": [], "annotations": []}
    ]


def test_logprobs() -> None:
    """They come with their pieces, and stand together in the whole."""
    events = stream(
        TextDelta("a", (LOGPROB,)), TextDelta("a", (LOGPROB,)), END, include=["message.output_text.logprobs"]
    )
    deltas = [event for event in events if event["type"] == "response.output_text.delta"]

    assert deltas[0]["logprobs"][0] == {
        "token": "a",
        "logprob": -0.5,
        "bytes": [97],
        "top_logprobs": [
            {"token": "a", "logprob": -0.5, "bytes": [97]},
            {"token": "b", "logprob": -1.5, "bytes": [98]},
        ],
    }
    assert len(events[-1]["response"]["output"][0]["content"][0]["logprobs"]) == 2


def test_a_failure_in_mid_stream() -> None:
    """The error is an event, and the answer has failed, with a code that clients know."""
    out = writer()
    out.feed(TextDelta("so"), "m")
    error, failed = events_of(out.failed(Problem(429, "rate_limited", "later")))

    assert (error["type"], error["code"], error["message"]) == ("error", "rate_limited", "later")
    assert (failed["type"], failed["response"]["status"]) == ("response.failed", "failed")
    assert failed["response"]["error"] == {"code": "rate_limit_exceeded", "message": "later"}
    assert failed["sequence_number"] == error["sequence_number"] + 1
    assert out.final is None


def test_nothing_is_told_of_progress() -> None:
    """While it is waited, there are comments and no events."""
    out = writer()

    assert out.feed(Progress("loading"), "m").startswith(b":")
    assert names(events_of(out.feed(TextDelta("x"), "m")))[0] == "created"


pieces = st.text(max_size=4)
parts = st.lists(
    st.builds(Text, pieces.filter(bool))
    | st.builds(Thought, pieces.filter(bool), st.none() | pieces)
    | st.builds(ToolCall, pieces, st.sampled_from(["look", "write"]), pieces),
    max_size=5,
)
CUSTOM: Final = [{"type": "custom", "name": "write"}, {"type": "function", "name": "look"}]


@given(parts=parts, cut=st.booleans())
def test_whole_and_streamed_answers_are_the_same(parts: list[Text | Thought | ToolCall], cut: bool) -> None:
    """The whole object is the one in the last event, for any answer, and events add up to it."""
    reason: FinishReason = "length" if cut else "stop"
    whole = json.loads(writer(tools=CUSTOM).whole(Response((Choice(tuple(parts), reason),), USAGE), "local/play"))
    deltas: list[Delta] = []
    for part in parts:
        match part:
            case Text(text=text):
                deltas.append(TextDelta(text))
            case Thought(text=text, signature=signature):
                deltas.append(ThoughtDelta(text, signature))
            case ToolCall(id=id, name=name, arguments=arguments):
                number = sum(isinstance(delta, ToolCallDelta) for delta in deltas)
                deltas.append(ToolCallDelta(number, id, name, arguments))
    events = stream(*deltas, Finish(reason, USAGE), tools=CUSTOM)

    assert events[-1]["response"] == whole
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    done = {event["output_index"]: event["item"] for event in events if event["type"] == "response.output_item.done"}
    assert [done[place] for place in sorted(done)] == whole["output"]
    for place, item in enumerate(whole["output"]):
        told = "".join(event["delta"] for event in events if event.get("output_index") == place and "delta" in event)
        match item["type"]:
            case "function_call":
                assert told == item["arguments"]
            case "custom_tool_call":
                assert told == item["input"]
            case _:
                assert told == "".join(part["text"] for part in item["content"])


@given(parts=parts)
def test_an_answer_can_be_sent_back(parts: list[Text | Thought | ToolCall]) -> None:
    """The output of one turn, put into the input of the next, is what was said."""
    out = writer(tools=CUSTOM)
    out.whole(Response((Choice(tuple(parts), "stop"),), USAGE), "m")
    assert out.final
    items = [msgspec.json.decode(msgspec.json.encode(item)) for item in out.final.output]
    back = [
        part
        for message in request(input=[{"role": "user", "content": "x"}, *items]).messages[1:]
        for part in message.parts
    ]

    assert [part.text for part in back if isinstance(part, Text)] == [
        text for text in _joined(parts) if text is not None
    ]
    assert [(part.id, part.name) for part in back if isinstance(part, ToolCall)] == [
        (part.id or f"{'ctc' if part.name == 'write' else 'fc'}_00000000000000aa_{place}", part.name)
        for part, place in _calls(parts)
    ]


def _joined(parts: list[Text | Thought | ToolCall]) -> list[str]:
    """Texts as messages hold them: those that follow each other are one, and no parts at all are an empty one."""
    texts: list[str] = []
    open_one = False
    for part in parts:
        if isinstance(part, Text):
            texts[-1:] = [texts[-1] + part.text] if open_one else [*texts[-1:], part.text]
        open_one = isinstance(part, Text)
    return texts if parts else [""]


def _calls(parts: list[Text | Thought | ToolCall]) -> list[tuple[ToolCall, int]]:
    """Calls with their places among the items."""
    found: list[tuple[ToolCall, int]] = []
    place, before = -1, None
    for part in parts:
        kind = type(part)
        sealed = isinstance(before, Thought) and before.signature is not None
        if kind is ToolCall or type(before) is not kind or sealed:
            place += 1
        if isinstance(part, ToolCall):
            found.append((part, place))
        before = part
    return found

"""Reasoning in `reasoning_details`, read and written back."""

from __future__ import annotations

import json
from typing import Any, Final

from providers.contract import Message, Request, Text, TextDelta, Thought, ThoughtDelta, ToolCall, ToolCallDelta
from providers.families.openai_answer import Hearing
from providers.families.openai_chat import body_of
from providers.families.reasoning_details import Details, given_back
from tests.fakes.upstream import frames

TEXT: Final = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
SEALED: Final = {"type": "reasoning.encrypted", "id": "rs_1", "format": "openai-responses-v1", "index": 1}
NOTE: Final = '{"type":"reasoning.text","format":"anthropic-claude-v1","index":0}'
SEALED_NOTE: Final = '{"type":"reasoning.encrypted","id":"rs_1","format":"openai-responses-v1","index":1}'


def heard(*deltas: dict[str, Any]) -> list[Any]:
    """What comes out of a stream of these, without its end."""
    hearing = Hearing("work", "0" * 16)
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in (*deltas, {})]
    chunks[-1]["choices"][0]["finish_reason"] = "stop"
    told = [delta for frame in frames(*chunks) for delta in hearing.frame(frame.removeprefix(b"data: ").strip())]
    return [*told, *hearing.end()[:-1]]


def test_pieces_of_one_are_one() -> None:
    """Words come as they are said and the signature behind them; data is told when it is whole, before what follows."""
    told = heard(
        {"reasoning": "a", "reasoning_details": [{**TEXT, "text": "a", "signature": None}]},
        {"reasoning": "b", "reasoning_details": [{**TEXT, "text": "b"}]},
        {"reasoning_details": [{**TEXT, "signature": "s="}]},
        {"reasoning_details": [{**SEALED, "data": "x"}]},
        {"reasoning_details": [{**SEALED, "data": "y+/"}]},
        {"content": "so"},
    )

    assert told == [
        ThoughtDelta("a"),
        ThoughtDelta("b"),
        ThoughtDelta("", "s=", note=NOTE),
        ThoughtDelta("", "xy+/", redacted=True, note=SEALED_NOTE),
        TextDelta("so"),
    ]


def test_whole_ones_and_several_of_a_kind() -> None:
    """In one frame, with summaries between them, before a call, at the end of an answer."""
    second = {**SEALED, "id": "rs_2", "index": 2}
    summary = {"type": "reasoning.summary", "summary": "in short", "index": 0}
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    details = [{**TEXT, "text": "a", "signature": "s="}, summary, {**SEALED, "data": "x"}, {**second, "data": "y"}]

    told = heard({"reasoning": "a in short", "reasoning_details": details, "tool_calls": [call]})

    assert [type(delta) for delta in told] == [ThoughtDelta] * 4 + [ToolCallDelta]
    assert [delta.signature for delta in told[:4]] == ["s=", None, "x", "y"]
    assert [delta.text for delta in told[:4]] == ["a", "in short", "", ""]
    assert heard({"reasoning_details": [{**SEALED, "data": "x"}]}) == [
        ThoughtDelta("", "x", redacted=True, note=SEALED_NOTE)
    ]


def test_who_has_no_words_in_them_is_heard_elsewhere() -> None:
    """Encrypted data beside plain reasoning; odd entries are nothing."""
    odd = [
        None,
        3,
        {},
        {"type": "reasoning.other"},
        {**TEXT, "text": 3},
        {**SEALED, "data": None},
        {**TEXT, "signature": ""},
    ]
    told = heard({"reasoning_content": "hm", "reasoning_details": odd}, {"reasoning_details": None})

    assert told == [ThoughtDelta("hm")]


def test_what_was_told_is_told_back() -> None:
    """Reading and writing undo each other, whatever stands beside the words; thoughts without a note are nobody's here."""
    details = [
        {**TEXT, "text": 'ä\u2028"', "signature": "s+/="},
        {**SEALED, "data": "gAAA==", "more": {"of": [1.5, None]}},
    ]
    reader = Details()
    deltas = [*reader.read(details, 0), *reader.end(0)]
    thoughts = [Thought(delta.text, delta.signature, delta.redacted, delta.note) for delta in deltas]

    assert given_back(thoughts) == details
    assert given_back([Thought("hm"), Thought("hm", "s"), Thought("", "x", redacted=True)]) == []


def test_a_request_tells_signed_words_once() -> None:
    """Those that go back signed are not told as plain words as well; others are."""
    said = (Thought("plain"), Thought("a", "s=", note=NOTE), Text("so"), ToolCall("c", "look", "{}"))
    asked = Request(id="0" * 16, model="m", messages=(Message("assistant", said),), protocol="t")

    [message] = json.loads(body_of(asked, "m"))["messages"]

    assert message["reasoning_content"] == "plain"
    assert message["reasoning_details"] == [{**TEXT, "text": "a", "signature": "s="}]

"""Ollama's chat, from bytes to the neutral model and back."""

from __future__ import annotations

import itertools
import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.protocols import ollama_chat
from daemon.protocols.base import Envelope, Problem
from providers.contract import (
    Alternative,
    BadAnswer,
    Choice,
    Delta,
    Finish,
    Image,
    Logprob,
    Message,
    Progress,
    Request,
    Response,
    Sampling,
    Text,
    TextDelta,
    Thinking,
    Thought,
    ThoughtDelta,
    Tool,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Usage,
)

PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
USER: Final = {"role": "user", "content": "hi"}


def envelope(*ticks: float) -> Envelope:
    """Arrived at 22:13:20; its clock shows `ticks` in turn, then stands still."""
    coming = [*ticks]
    return Envelope(
        "00000000000000aa",
        None,
        None,
        None,
        "any",
        1_700_000_000,
        None,
        lambda: coming.pop(0) if coming[1:] else coming[0],
    )


def read(**body: Any) -> Request:
    return ollama_chat.read(json.dumps({"model": "local", "messages": [USER], **body}).encode(), envelope(0.0))


def lines(*deltas: Delta, ticks: tuple[float, ...] = (0.0,), **body: Any) -> list[dict[str, Any]]:
    """What is written for a stream of deltas, line by line."""
    writer = ollama_chat.writer(read(**body), envelope(*ticks))
    written = b"".join(writer.feed(delta, "local/play") for delta in deltas) + writer.end()
    assert written.endswith(b"\n")
    return [json.loads(line) for line in written[:-1].split(b"\n")]


def whole(*parts: Text | Thought | ToolCall, reason: Any = "stop", **body: Any) -> dict[str, Any]:
    writer = ollama_chat.writer(read(**body), envelope(0.0))
    said: dict[str, Any] = json.loads(writer.whole(Response((Choice(parts, reason),), Usage(3, 2)), "local/play"))
    return said


# ---- reading --------------------------------------------------------------------------------------------------------


def test_a_stream_is_the_default() -> None:
    """Ollama streams unless it is told not to, and so does a null."""
    assert (read().stream, read(stream=None).stream, read(stream=True).stream, read(stream=False).stream) == (
        True,
        True,
        True,
        False,
    )


@pytest.mark.parametrize("name", ["local", "local:latest", "a/b:latest", ":latest"])
def test_latest_is_no_part_of_a_name(name: str) -> None:
    """Clients put `:latest` behind names without a tag; all other tags stay."""
    assert read(model=name).model == (name.removesuffix(":latest") or name)
    assert read(model="qwen3:4b").model == "qwen3:4b"


def test_no_messages_ask_for_nothing_but_the_model() -> None:
    """Without messages the model is only loaded, or with keep_alive 0 unloaded."""
    assert read(messages=[]).messages == ()
    assert read(messages=None).messages == ()
    assert read(messages=[], keep_alive=0).keep_s == 0


def test_a_tool_session() -> None:
    """Calls have their arguments as objects, whose spelling stays; results find their calls without ids."""
    raw = (
        b'{"model": "local", "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": "",'
        b' "thinking": "hm", "tool_calls": [{"function": {"name": "look", "arguments": {"at" : 1.0, "n": 12345678901234567890}}},'
        b' {"function": {"name": "fetch", "arguments": {}}}]},'
        b' {"role": "tool", "tool_name": "fetch", "content": "F"}, {"role": "tool", "content": "L"}],'
        b' "tools": [{"type": "function", "function": {"name": "look", "description": "d", "parameters": {"type": "object"}}}]}'
    )
    request = ollama_chat.read(raw, envelope(0.0))

    assert request.messages == (
        Message("user", (Text("go"),)),
        Message(
            "assistant",
            (
                Thought("hm"),
                ToolCall("call_0", "look", '{"at" : 1.0, "n": 12345678901234567890}'),
                ToolCall("call_1", "fetch", "{}"),
            ),
        ),
        Message("tool", (ToolResult("call_1", (Text("F"),)),)),
        Message("tool", (ToolResult("call_0", (Text("L"),)),)),
    )
    assert request.tools == (Tool("look", "d", {"type": "object"}),)


def test_calls_of_one_name_are_answered_in_order_or_by_id() -> None:
    """Two calls of the same tool have their results in order; a result that names an id is that call's."""
    call = {"function": {"name": "look", "arguments": {}}}
    made = {"role": "assistant", "tool_calls": [call, call, {**call, "id": "x"}]}
    results = [{"role": "tool", "tool_call_id": "x", "content": "3"}]
    results += [{"role": "tool", "tool_name": "look", "content": word} for word in ("1", "2")]

    read_back = read(messages=[USER, made, *results]).messages[2:]

    ids = [part.call_id for message in read_back for part in message.parts if isinstance(part, ToolResult)]
    assert ids == ["x", "call_0", "call_1"]


def test_a_result_without_a_call_keeps_its_name() -> None:
    """A history that was cut still is read: the result is bound to the tool's name."""
    assert read(messages=[{"role": "tool", "tool_name": "look", "content": "x"}]).messages == (
        Message("tool", (ToolResult("look", (Text("x"),)),)),
    )


def test_pictures_are_part_of_their_turn() -> None:
    """A picture stands behind the words that it was sent with, as a data URL of its kind."""
    (message,) = read(messages=[{"role": "user", "content": "what?", "images": [PNG]}]).messages

    assert message.parts == (Text("what?"), Image(f"data:image/png;base64,{PNG}"))


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ({"messages": [{"role": "owner", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": "x", "images": ["!"]}]}, "messages[0].images[0]"),
        ({"messages": [{"role": "user", "content": "x", "images": ["aGVsbG8="]}]}, "messages[0].images[0]"),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]},
            "messages[0].tool_calls[0].function.arguments",
        ),
        ({"messages": [{"role": "user", "tool_calls": [{"function": {"name": "f"}}]}]}, "messages[0].tool_calls"),
        ({"tools": [{"type": "web", "function": {"name": "f"}}]}, "tools[0].type"),
        ({"model": ""}, "model"),
        ({"stream": "yes"}, "stream"),
        ({"top_logprobs": 2}, "top_logprobs"),
    ],
)
def test_what_is_wrong_is_named(body: dict[str, Any], parameter: str) -> None:
    """The field at fault is in the error, and the client's words are not."""
    with pytest.raises(BadRequest) as caught:
        read(**body)

    assert (caught.value.parameter or "").replace("...", "0") == parameter


def test_what_is_not_honoured_is_reported() -> None:
    """Options of Ollama's that change nothing here are named; others are the client's words, and one name together."""
    request = read(options={"num_ctx": 8192, "min_p": 0.1, "mine": 1, "temperature": 0.5, "mirostat": None}, secret=1)

    assert request.ignored == ("options.num_ctx", "options.min_p", "other")
    assert request.sampling == Sampling(temperature=0.5)


def test_reasoning_is_asked_for_with_think() -> None:
    """Whether to reason, or how hard."""
    assert read(think=True).thinking == Thinking(on=True)
    assert read(think=False).thinking == Thinking(on=False)
    assert read(think="low").thinking == Thinking(on=True, effort="low")
    assert read().thinking is None


# ---- writing --------------------------------------------------------------------------------------------------------


def test_a_stream_is_lines_of_which_the_last_counts() -> None:
    """Words come as they are made; the last line has none, and says how long loading, reading and writing took."""
    deltas = (Progress("loading", 0.5), TextDelta("Hel"), TextDelta("lo"), Finish("stop", Usage(7, 2)))
    written = lines(*deltas, ticks=(1.0, 3.0, 3.5, 6.0))

    assert [line["message"]["content"] for line in written] == ["", "Hel", "lo", ""]
    assert [line["done"] for line in written] == [False, False, False, True]
    assert all(line["model"] == "local/play" and line["created_at"] == "2023-11-14T22:13:20Z" for line in written)
    assert all("done_reason" not in line for line in written[:-1])
    assert {name: value for name, value in written[-1].items() if name not in ("message", "model", "created_at")} == {
        "done": True,
        "done_reason": "stop",
        "total_duration": 5_000_000_000,
        "load_duration": 2_000_000_000,
        "prompt_eval_count": 7,
        "prompt_eval_duration": 500_000_000,
        "eval_count": 2,
        "eval_duration": 2_500_000_000,
    }


@pytest.mark.parametrize(("ours", "theirs"), [("stop", "stop"), ("tool_calls", "stop"), ("length", "length")])
def test_why_it_ended(ours: Any, theirs: str) -> None:
    """Ollama's models stop when they call a tool."""
    assert lines(TextDelta("x"), Finish(ours, Usage(1, 1)))[-1]["done_reason"] == theirs
    assert whole(Text("x"), reason=ours)["done_reason"] == theirs


@given(st.lists(st.integers(0, 60), max_size=4))
def test_calls_are_written_when_they_are_whole(cuts: list[int]) -> None:
    """However a call is cut into pieces, it comes in one line, its arguments an object on that line."""
    text = '{"city":\n "Paris", "n": 12345678901234567890, "é": "\\u00e9\\n"}'
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces: list[Delta] = [ToolCallDelta(0, "c1", "look"), ToolCallDelta(1, "c2", "fetch")]
    pieces += [ToolCallDelta(0, arguments=text[start:end]) for start, end in itertools.pairwise(edges)]
    written = lines(*pieces, Finish("tool_calls", Usage(1, 1)))

    assert [line["done"] for line in written] == [False, True]
    assert written[0]["message"]["tool_calls"] == [
        {"id": "c1", "function": {"index": 0, "name": "look", "arguments": json.loads(text)}},
        {"id": "c2", "function": {"index": 1, "name": "fetch", "arguments": {}}},
    ]
    called = whole(ToolCall("c1", "look", text), ToolCall("c2", "fetch", ""), reason="tool_calls")
    assert called["message"]["tool_calls"] == written[0]["message"]["tool_calls"]


@pytest.mark.parametrize("arguments", ["[1]", '"x"', "{", '{"a": 1} {', "[" * 5000, "{} x"])
def test_a_call_that_is_no_call_is_an_error(arguments: str) -> None:
    """Arguments that are no object are told as a bad answer, never sent as something else."""
    with pytest.raises(BadAnswer):
        lines(ToolCallDelta(0, "c1", "look", arguments), Finish("tool_calls", Usage(1, 1)))
    with pytest.raises(BadAnswer):
        whole(ToolCall("c1", "look", arguments))


def test_reasoning_has_its_own_field() -> None:
    """Thoughts come apart from words; a signature, and what only its maker can read, make no line."""
    secret = ThoughtDelta("x", redacted=True)
    written = lines(ThoughtDelta("hm"), ThoughtDelta("", "sig"), secret, TextDelta("so"), Finish("stop", Usage(1, 2)))

    assert [line["message"].get("thinking") for line in written] == ["hm", None, None]
    said = whole(Thought("hm"), Thought("x", redacted=True), Text("so"))["message"]
    assert said == {"role": "assistant", "content": "so", "thinking": "hm"}


def test_logprobs_have_their_bytes() -> None:
    """Each token has its probability and bytes, and alternatives only if they were asked for."""
    token = Logprob(b"\xf0\x9f", -0.5, (Alternative(b"a", -1.0),))
    plain = lines(TextDelta("x", (token,)), Finish("stop", Usage(1, 1)), logprobs=True)
    more = lines(TextDelta("x", (token,)), Finish("stop", Usage(1, 1)), logprobs=True, top_logprobs=1)

    assert plain[0]["logprobs"] == [{"token": "\ufffd", "logprob": -0.5, "bytes": [240, 159]}]
    assert more[0]["logprobs"][0]["top_logprobs"] == [{"token": "a", "logprob": -1.0, "bytes": [97]}]


def test_a_sign_of_life_is_a_line_without_words() -> None:
    """The official client takes every line for an object, so an empty line would end it."""
    writer = ollama_chat.writer(read(), envelope(0.0))
    beat = json.loads(writer.heartbeat())

    assert (beat["message"], beat["done"]) == ({"role": "assistant", "content": ""}, False)


def test_an_error_is_a_string() -> None:
    """Ollama's errors are their words; our code stands beside them."""
    problem = Problem(429, "rate_limited", "too many", None, 2.0)

    assert json.loads(ollama_chat.refusal(problem)) == {"error": "too many", "code": "rate_limited"}
    assert ollama_chat.writer(read(), envelope(0.0)).failed(problem) == ollama_chat.refusal(problem) + b"\n"


@pytest.mark.parametrize(("keep_alive", "reason"), [(None, "load"), ("5m", "load"), (0, "unload"), ("0s", "unload")])
def test_loading_is_one_object(keep_alive: Any, reason: str) -> None:
    """Who asked for nothing is told what was done."""
    said = whole(messages=[], keep_alive=keep_alive)

    assert (said["done"], said["done_reason"], said["message"]["content"]) == (True, reason, "")


def test_an_answer_without_an_end_is_an_error() -> None:
    """A stream that just stops is not passed off as an answer."""
    writer = ollama_chat.writer(read(), envelope(0.0))
    writer.feed(TextDelta("x"), "m")

    assert "error" in json.loads(writer.end())

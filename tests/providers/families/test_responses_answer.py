"""An answer of OpenAI's Responses, from events to deltas, with the ways in which servers differ."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from providers.contract import (
    Alternative,
    BadAnswer,
    ContextTooLong,
    Delta,
    Finish,
    KeyRejected,
    Logprob,
    NoAnswer,
    Overloaded,
    ProviderError,
    RateLimited,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Unreachable,
    Unsupported,
    Usage,
)
from providers.families.responses_answer import Hearing
from tests.fakes.responses_events import COMPLETED, USAGE, ended, events, new_text

CANARY: Final = "my secret diary"
END: Final = Finish("stop", Usage(7, 2))


def heard(*told: dict[str, Any]) -> list[Delta]:
    """The deltas of these events."""
    hearing = Hearing("work", "r1")
    frames = [frame.partition(b"data: ")[2] for frame in events(*told)]
    return [delta for frame in frames for delta in hearing.frame(frame)] + hearing.end()


WHOLE: Final = {"text": {"format": {"type": "text"}}, "reasoning": {"effort": None}, "tools": [], "metadata": {}}
"""What a whole response has beside, some of it under names that events use for other things."""


def whole(**response: Any) -> list[Delta]:
    """The deltas of a whole response."""
    hearing = Hearing("work", "r1")
    told = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": [],
        "usage": USAGE,
        **WHOLE,
        **response,
    }
    return [*hearing.frame(json.dumps(told).encode()), *hearing.end()]


def item(what: str, place: int, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.output_item.{what}", "output_index": place, "item": fields}


def message(*content: Any) -> dict[str, Any]:
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": list(content)}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "output_text", "text": words, "annotations": [], **more}


def test_words() -> None:
    """What is new is told once, though later events say all of it again."""
    at = {"item_id": "msg_0", "output_index": 0, "content_index": 0}
    deltas = heard(
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}},
        {"type": "response.in_progress", "response": {"id": "resp_1", "status": "in_progress", "output": []}},
        item("added", 0, type="message", id="msg_0", role="assistant", content=[]),
        {"type": "response.content_part.added", **at, "part": text("")},
        new_text("Hel"),
        {"type": "response.something.new", "what": 1},
        new_text("lo"),
        {"type": "response.output_text.done", **at, "text": "Hello"},
        {"type": "response.content_part.done", **at, "part": text("Hello")},
        item("done", 0, **message(text("Hello"))),
        ended(output=[message(text("Hello"))]),
    )

    assert deltas == [TextDelta("Hel"), TextDelta("lo"), END]


@pytest.mark.parametrize(
    "told",
    [
        [{"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hi"}, COMPLETED],
        [item("done", 0, **message(text("Hi"))), COMPLETED],
        [ended(output=[message(text("Hi"))])],
    ],
    ids=["done", "item", "end"],
)
def test_words_that_are_told_late(told: list[dict[str, Any]]) -> None:
    """Whoever sends no pieces is understood by what says all."""
    assert heard(*told) == [TextDelta("Hi"), END]


def test_an_event_that_comes_twice_is_one() -> None:
    """Events are numbered, so the same one once more is no new word; the same word with another number is."""
    hearing = Hearing("work", "r1")
    first, second = (frame.partition(b"data: ")[2] for frame in events(new_text("ha"), new_text("ha")))

    assert hearing.frame(first) == [TextDelta("ha")]
    assert hearing.frame(second) == [TextDelta("ha")]
    assert hearing.frame(second) == []


def test_a_refusal_is_words() -> None:
    """As in Chat Completions."""
    at = {"item_id": "msg_0", "output_index": 0, "content_index": 0}
    streamed = heard(
        {"type": "response.refusal.delta", **at, "delta": "I "},
        {"type": "response.refusal.delta", **at, "delta": "won't"},
        {"type": "response.refusal.done", **at, "refusal": "I won't"},
        COMPLETED,
    )

    assert streamed == [TextDelta("I "), TextDelta("won't"), END]
    assert whole(output=[message({"type": "refusal", "refusal": "I won't"})]) == [TextDelta("I won't"), END]


def test_calls() -> None:
    """Pieces of several calls come mixed; some servers send arguments only whole, or name no place."""
    stem = "response.function_call_arguments"
    first = {"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "look", "arguments": ""}
    second = {"type": "function_call", "id": "fc_2", "call_id": "call_b", "name": "go", "arguments": ""}
    deltas = heard(
        item("added", 0, **first),
        item("added", 1, **second),
        {"type": f"{stem}.delta", "item_id": "fc_1", "delta": '{"a"'},
        {"type": f"{stem}.done", "item_id": "fc_2", "output_index": 1, "arguments": "{}"},
        {"type": f"{stem}.delta", "item_id": "fc_1", "output_index": 0, "delta": ":1}"},
        {"type": f"{stem}.done", "item_id": "fc_1", "output_index": 0, "arguments": '{"a":1}'},
        item("done", 0, **{**first, "arguments": '{"a":1}'}),
        item("done", 1, **{**second, "arguments": "{}"}),
        COMPLETED,
    )

    assert deltas == [
        ToolCallDelta(0, "call_a", "look"),
        ToolCallDelta(1, "call_b", "go"),
        ToolCallDelta(0, arguments='{"a"'),
        ToolCallDelta(1, arguments="{}"),
        ToolCallDelta(0, arguments=":1}"),
        Finish("tool_calls", Usage(7, 2)),
    ]


@pytest.mark.parametrize(
    ("call", "deltas"),
    [
        ({"name": "go", "call_id": "c", "arguments": '{"a": 1}'}, [("c", "go", ""), (None, None, '{"a": 1}')]),
        ({"name": "go", "id": "fc", "arguments": {"a": 1}}, [("fc", "go", ""), (None, None, '{"a":1}')]),
        ({"name": "go", "arguments": ""}, [("call_r1_0", "go", "")]),
    ],
)
def test_whole_calls(call: dict[str, Any], deltas: list[tuple[Any, ...]]) -> None:
    """With a name of its own, or none; arguments as text or as what it means."""
    told = whole(output=[{"type": "function_call", **call}])

    assert told == [*(ToolCallDelta(0, *each) for each in deltas), Finish("tool_calls", Usage(7, 2))]


def test_arguments_before_a_name() -> None:
    """They wait for it."""
    stem = "response.function_call_arguments.delta"
    deltas = heard(
        {"type": stem, "output_index": 0, "delta": "{}"},
        item("done", 0, type="function_call", call_id="c", name="go", arguments="{}"),
        COMPLETED,
    )

    assert deltas == [ToolCallDelta(0, "c", "go", "{}"), Finish("tool_calls", Usage(7, 2))]


SEALED: Final = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "First"}, {"type": "summary_text", "text": "Then"}],
    "encrypted_content": "gAAA+/=",
}


def test_reasoning() -> None:
    """A summary's parts are paragraphs, and the seal comes behind them."""
    stem, at = "response.reasoning_summary_text", {"item_id": "rs_1", "output_index": 0}
    streamed = heard(
        item("added", 0, type="reasoning", id="rs_1", summary=[]),
        {"type": f"{stem}.delta", **at, "summary_index": 0, "delta": "Fir"},
        {"type": f"{stem}.delta", **at, "summary_index": 0, "delta": "st"},
        {"type": f"{stem}.done", **at, "summary_index": 0, "text": "First"},
        {"type": f"{stem}.delta", **at, "summary_index": 1, "delta": "Then"},
        item("done", 0, **SEALED),
        new_text("Hi", 1),
        COMPLETED,
    )
    told = whole(output=[SEALED, message(text("Hi"))])

    *words, seal, said, finish = streamed
    assert isinstance(seal, ThoughtDelta)
    assert seal.note is not None
    assert words == [ThoughtDelta("Fir"), ThoughtDelta("st"), ThoughtDelta("\n\nThen")]
    assert (seal.text, seal.signature, seal.redacted) == ("", "gAAA+/=", False)
    assert json.loads(seal.note) == {name: SEALED[name] for name in ("type", "id", "summary")}
    assert [said, finish] == [TextDelta("Hi"), END]
    assert told == [ThoughtDelta("First\n\nThen", "gAAA+/=", note=seal.note), said, finish]


def test_reasoning_without_words() -> None:
    """What is sealed alone is all there is."""
    item = {**SEALED, "summary": []}
    (thought, said, finish) = whole(output=[item, message(text("Hi"))])

    assert isinstance(thought, ThoughtDelta)
    assert (thought.text, thought.signature, thought.redacted) == ("", "gAAA+/=", True)
    assert (said, finish) == (TextDelta("Hi"), END)


def test_the_very_words_of_reasoning() -> None:
    """Servers for open models send them; beside a summary they are the same once more."""
    at = {"item_id": "rs_1", "output_index": 0}
    deltas = heard(
        {"type": "response.reasoning_text.delta", **at, "content_index": 0, "delta": "hm"},
        {"type": "response.reasoning_text.done", **at, "content_index": 0, "text": "hm"},
        {"type": "response.reasoning_summary_text.delta", **at, "summary_index": 0, "delta": "in short: hm"},
        item("done", 0, type="reasoning", id="rs_1", content=[{"type": "reasoning_text", "text": "hm"}]),
        new_text("Hi", 1),
        COMPLETED,
    )

    assert deltas == [ThoughtDelta("hm"), TextDelta("Hi"), END]


def test_logprobs() -> None:
    """Of words alone, with those that could have stood there; bytes may be missing."""
    top = [{"token": "Hi", "logprob": -0.1}, {"token": "Yo", "logprob": -3.0, "bytes": [89, 111]}]
    token = {"token": "Hi", "logprob": -0.1, "bytes": None, "top_logprobs": top}
    wanted = Logprob(b"Hi", -0.1, (Alternative(b"Hi", -0.1), Alternative(b"Yo", -3.0)))

    assert heard({**new_text("Hi"), "logprobs": [token]}, COMPLETED) == [TextDelta("Hi", (wanted,)), END]
    assert whole(output=[message(text("Hi", logprobs=[token]))]) == [TextDelta("Hi", (wanted,)), END]
    assert whole(output=[message(text("Hi", logprobs="odd"))]) == [TextDelta("Hi"), END]


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": "completed"}, "stop"),
        ({"status": None}, "stop"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "incomplete", "incomplete_details": None}, "length"),
    ],
)
def test_reasons(response: dict[str, Any], reason: str) -> None:
    """Why it ended."""
    assert whole(output=[message(text("Hi"))], **response)[-1] == Finish(reason, Usage(7, 2))  # type: ignore[arg-type]


def test_usage() -> None:
    """Cached, written and reasoning tokens are contained in the totals, as here."""
    usage = {
        "input_tokens": 2006,
        "input_tokens_details": {"cached_tokens": 1920, "cache_write_tokens": 64},
        "output_tokens": 300,
        "output_tokens_details": {"reasoning_tokens": 256},
    }

    assert heard(new_text("Hi"), ended(usage=usage))[-1] == Finish("stop", Usage(2006, 300, 1920, 256, 64))
    assert heard(new_text("Hi"), ended(usage=None))[-1] == Finish("stop", Usage(0, 0))


def test_reasoning_that_took_all_tokens() -> None:
    """An answer without words that was too long is one, and what it took is told."""
    response = {"incomplete_details": {"reason": "max_output_tokens"}}

    assert heard(ended("incomplete", **response)) == [Finish("length", Usage(7, 2))]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "server_error", "message": CANARY}, Unreachable),
        ({"code": "rate_limit_exceeded", "message": CANARY}, RateLimited),
        ({"code": "overloaded_error", "message": CANARY}, Overloaded),
        ({"code": "insufficient_quota", "message": CANARY}, KeyRejected),
        ({"code": "invalid_prompt", "message": CANARY}, Unsupported),
        ({"code": "context_length_exceeded", "message": CANARY}, (ContextTooLong, Unsupported)),
        ({"code": "who_knows", "message": CANARY}, BadAnswer),
    ],
)
def test_errors(error: dict[str, Any], kind: type[ProviderError]) -> None:
    """As an event, flat or with the error in it, or as the response that failed; none tells the user's words."""
    ways = (
        lambda: heard(new_text("Hi"), {"type": "error", **error, "param": None}),
        lambda: heard(new_text("Hi"), {"type": "error", "error": error}),
        lambda: heard(new_text("Hi"), ended("failed", error=error)),
        lambda: whole(status="failed", error=error),
    )
    for way in ways:
        with pytest.raises(kind) as caught:
            way()
        assert CANARY not in str(caught.value)


def test_ends() -> None:
    """Silence, what broke off, what was given up and what is no answer are told apart."""
    with pytest.raises(NoAnswer):
        heard(COMPLETED)
    with pytest.raises(Unreachable, match="mid-answer"):
        heard(new_text("Hi"))
    with pytest.raises(Unreachable, match="without an answer"):
        Hearing("work", "r1").end()
    with pytest.raises(Unreachable, match="gave its answer up"):
        heard(new_text("Hi"), ended("cancelled"))
    for foreign in (b'{"choices": []}', b"no JSON", b"[1]", b"\xff"):
        with pytest.raises(BadAnswer, match="Responses"):
            Hearing("work", "r1").frame(foreign)

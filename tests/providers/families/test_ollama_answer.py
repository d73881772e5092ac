"""What Ollama answers, from lines to deltas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from providers.contract import (
    Alternative,
    BadAnswer,
    Delta,
    Finish,
    KeyRejected,
    Logprob,
    NoAnswer,
    NoCredit,
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
from providers.families.ollama_answer import Lines

CANARY = "my secret diary"
NONE = Usage(0, 0)


def read(*pieces: bytes) -> list[Delta]:
    lines = Lines("near", "r1")
    deltas = [delta for piece in pieces for delta in lines.feed(piece)]
    return [*deltas, *lines.end(said_events=False)]


def line(done: bool = False, reason: str | None = None, **said: Any) -> dict[str, Any]:
    more = {name: said.pop(name) for name in ("prompt_eval_count", "eval_count", "logprobs") if name in said}
    why = {"done_reason": reason} if reason else {}
    return {"model": "q", "message": {"role": "assistant", "content": "", **said}, "done": done, **why, **more}


def heard(*lines: Any) -> list[Delta]:
    return read(b"".join(json.dumps(each).encode() + b"\n" for each in lines))


def test_an_answer() -> None:
    """Thoughts, words and calls, and the counts of the last line."""
    call = {"function": {"index": 0, "name": "look", "arguments": {"at": [1, 2]}}}
    assert heard(
        line(thinking="hm"),
        line(content="so"),
        line(tool_calls=[call, {"id": "c", **call}]),
        line(done=True, reason="stop", prompt_eval_count=7, eval_count=2),
    ) == [
        ThoughtDelta("hm"),
        TextDelta("so"),
        ToolCallDelta(0, "call_r1_0_0", "look", '{"at": [1, 2]}'),
        ToolCallDelta(1, "c", "look", '{"at": [1, 2]}'),
        Finish("tool_calls", Usage(7, 2)),
    ]


def test_a_prompt_that_it_still_had() -> None:
    """Such a prompt may not be counted at all."""
    assert heard(line(content="a", done=True, eval_count=2))[-1] == Finish("stop", Usage(0, 2))


@pytest.mark.parametrize(
    ("reason", "told"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("new", "stop"), (None, "stop")],
)
def test_why_it_ended(reason: str | None, told: str) -> None:
    """As the last line says it."""
    assert heard(line(content="a", done=True, reason=reason))[-1] == Finish(told, NONE)  # type: ignore[arg-type]


def test_a_model_that_was_only_loaded() -> None:
    """Nothing was asked, and that is no silence."""
    assert heard(line(done=True, reason="load")) == [Finish("stop", NONE)]


@pytest.mark.parametrize("end", [b"\r\n", b"\n\n", b"\n  \n"])
def test_lines_in_every_form(end: bytes) -> None:
    """Windows' line ends, empty lines, a byte order mark, and no end behind the last line; cut anywhere."""
    told = [line(content="é"), line(content="b", done=True)]
    body = b"\xef\xbb\xbf" + end.join(json.dumps(each, ensure_ascii=False).encode() for each in told)
    for cut in range(len(body)):
        assert read(body[:cut], body[cut:]) == [TextDelta("é"), TextDelta("b"), Finish("stop", NONE)]


def test_an_object_that_was_printed_for_humans() -> None:
    """It is one answer all the same, cut anywhere."""
    body = json.dumps(line(content="a", done=True), indent=2).encode() + b"\n"
    for cut in range(len(body)):
        assert read(body[:cut], body[cut:]) == [TextDelta("a"), Finish("stop", NONE)]


def test_what_follows_the_last_line_is_not_read() -> None:
    """Whatever it is."""
    lines = Lines("near", "r")
    body = json.dumps(line(content="a", done=True)).encode() + b"\n<html>\n"
    assert [*lines.feed(body)] == [TextDelta("a")]
    assert lines.ended


def test_arguments_as_text_and_none() -> None:
    """Of those who imitate it."""
    calls = [{"function": {"name": "a", "arguments": '{"b": 1}'}}, {"function": {"name": "a", "arguments": None}}]
    told = heard(line(tool_calls=[*calls, {"function": {"name": "a"}}], done=True))
    assert [each.arguments for each in told if isinstance(each, ToolCallDelta)] == ['{"b": 1}', "{}", "{}"]


def test_logprobs() -> None:
    """Of each token, by its bytes where they are told."""
    tokens = [
        {"token": "é", "logprob": -0.5, "bytes": [195], "top_logprobs": [{"token": "b", "logprob": -2.0}]},
        {"token": "c", "logprob": -1.0},
    ]
    assert heard(line(content="éc", logprobs=tokens, done=True))[0] == TextDelta(
        "éc", (Logprob(b"\xc3", -0.5, (Alternative(b"b", -2.0),)), Logprob(b"c", -1.0))
    )


def test_nothing_said() -> None:
    """Silence is told apart from an answer that broke off."""
    with pytest.raises(NoAnswer):
        heard(line(done=True, reason="stop"))
    with pytest.raises(Unreachable, match="without an answer"):
        read()
    with pytest.raises(Unreachable, match="mid-answer"):
        heard(line(content="a"))
    whole = json.dumps(line(content="a", done=True)).encode()
    with pytest.raises(Unreachable, match="mid-answer"):
        read(json.dumps(line(content="a")).encode() + b"\n" + whole[:-5])
    with pytest.raises(Unreachable, match="without an answer"):
        read(whole[:-5])


BAD_CALL = b'{"message":{"tool_calls":[{"function":{"name":"a","arguments":{"b":"\xc3"}}}]}}\n'


@pytest.mark.parametrize(
    "body",
    [
        b"<html>\n<p>no",
        b"Ollama is running",
        b'{"choices":[]}',
        b"[1]\n",
        b"data: {}\n\n",
        b'{"message":{"content":"a"}}\n' + BAD_CALL,
    ],
)
def test_something_else(body: bytes) -> None:
    """What isn't in this format says which setting to look at."""
    with pytest.raises(BadAnswer, match="wire"):
        read(body)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"error": CANARY}, BadAnswer),
        ({"error": f"{CANARY}: the input length exceeds the context length"}, Unsupported),
        ({"error": CANARY, "status_code": 429}, RateLimited),
        ({"error": CANARY, "code": "overloaded"}, Overloaded),
        ({"error": CANARY, "code": "insufficient_quota"}, NoCredit),
        ({"error": CANARY, "code": "provider_key_rejected"}, KeyRejected),
        ({"error": {"message": CANARY, "code": "odd"}}, BadAnswer),
    ],
)
def test_errors_inside_an_answer(error: dict[str, Any], kind: type[ProviderError]) -> None:
    """Of its own, of its cloud's and of another Nearloop's: each what it would have been in front of an answer."""
    with pytest.raises(kind) as raised:
        heard(line(content="a"), error)
    assert type(raised.value) is kind
    assert CANARY not in str(raised.value)


def test_a_huge_line_in_small_pieces() -> None:
    """It takes time in proportion to its length."""
    body = json.dumps(line(content="a" * 3_000_000, done=True)).encode() + b"\n"
    (text, _) = read(*(body[start : start + 256] for start in range(0, len(body), 256)))
    assert isinstance(text, TextDelta) and len(text.text) == 3_000_000

"""What Gemini answers, from frames to deltas."""

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
from providers.families.gemini_answer import Hearing, Note, note_of

CANARY = "my secret diary"
NONE = Usage(0, 0)


def heard(*frames: Any) -> list[Delta]:
    hearing = Hearing("work", "r1")
    return [delta for frame in frames for delta in hearing.frame(json.dumps(frame).encode())] + hearing.end()


def frame(*parts: Any, reason: str | None = "STOP", index: int = 0, **more: Any) -> dict[str, Any]:
    why = {} if reason is None else {"finishReason": reason}
    candidate = {
        "content": {"parts": list(parts), "role": "model"},
        **({"index": index} if index else {}),
        **why,
        **more,
    }
    return {"candidates": [candidate]}


def test_usage_to_the_token() -> None:
    """Cached tokens are contained in those of the prompt, those of thoughts are not in those of the answer, and the last
    count is the one that counts.
    """
    first = {
        **frame({"text": "a"}, reason=None),
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 1},
    }
    last = {
        **frame({"text": "b"}),
        "usageMetadata": {
            "promptTokenCount": 1000,
            "cachedContentTokenCount": 900,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 300,
            "toolUsePromptTokenCount": 7,
            "totalTokenCount": 1327,
        },
    }
    assert heard(first, last)[-1] == Finish("stop", Usage(1007, 320, cached_tokens=900, reasoning_tokens=300))


def test_several_candidates_count_once() -> None:
    """All of them together are told with the first."""
    usage = {"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 8}}
    both = {"candidates": [*frame({"text": "a"})["candidates"], *frame({"text": "b"}, index=1)["candidates"]], **usage}
    assert heard(both) == [
        TextDelta("a"),
        TextDelta("b", choice=1),
        Finish("stop", Usage(5, 8)),
        Finish("stop", Usage(5, 0), 1),
    ]


def test_signatures_are_told_where_they_stood() -> None:
    """As notes of calls and of thoughts: on words they are a thought of their own, which nobody reads."""
    call = {"functionCall": {"name": "look", "args": {"at": [1, 2.50]}}, "thoughtSignature": "s+/=="}
    deltas = heard(
        frame({"text": "hm", "thought": True}, reason=None),
        frame({"text": "", "thought": True, "thoughtSignature": "s0"}, reason=None),
        frame({"text": "Hel", "thoughtSignature": "s1"}, {"text": "", "thoughtSignature": "s2"}, call, call),
    )
    assert deltas == [
        ThoughtDelta("hm"),
        ThoughtDelta("", "s0", note='{"at":"thought"}'),
        TextDelta("Hel"),
        ThoughtDelta("", "s1", redacted=True, note='{"at":"text","chars":3}'),
        ThoughtDelta("", "s2", redacted=True, note='{"at":"text"}'),
        ToolCallDelta(0, "call_r1_0_0", "look", '{"at": [1, 2.5]}', note='{"signature":"s+/=="}'),
        ToolCallDelta(1, "call_r1_0_1", "look", '{"at": [1, 2.5]}', note='{"signature":"s+/=="}'),
        Finish("tool_calls", NONE),
    ]
    assert note_of('{"at":"text","chars":3}') == Note("text", 3)


def test_calls() -> None:
    """With the id that was given, and without arguments."""
    assert heard(frame({"functionCall": {"id": "c", "name": "look"}}))[0] == ToolCallDelta(0, "c", "look", "{}")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("OTHER", "stop"),
        ("SOMETHING_NEW", "stop"),
    ],
)
def test_why_it_ended(reason: str, told: str) -> None:
    """Filters of every kind are one reason."""
    assert heard(frame({"text": "a"}, reason=reason)) == [TextDelta("a"), Finish(told, NONE)]  # type: ignore[arg-type]


def test_blocked_prompts_and_empty_filtered_answers() -> None:
    """An answer without words that a filter held back."""
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    assert heard(blocked) == [Finish("content_filter", Usage(4, 0))]
    assert heard({"candidates": [{"finishReason": "SAFETY"}]}) == [Finish("content_filter", NONE)]


def test_a_broken_call() -> None:
    """What the model wrote and their server could make nothing of is no answer."""
    with pytest.raises(BadAnswer, match="MALFORMED_FUNCTION_CALL"):
        heard(frame(reason="MALFORMED_FUNCTION_CALL"))


def test_nothing_said() -> None:
    """Silence is told apart from an answer that broke off."""
    with pytest.raises(NoAnswer):
        heard(frame({"text": ""}))
    with pytest.raises(NoAnswer):
        heard({"usageMetadata": {"promptTokenCount": 4}})
    with pytest.raises(Unreachable, match="mid-answer"):
        heard(frame({"text": "a"}, reason=None))
    with pytest.raises(Unreachable, match="without an answer"):
        heard()


def test_logprobs() -> None:
    """Of each token, and of those that could have stood in its place."""
    result = {
        "chosenCandidates": [{"token": "é", "logProbability": -0.5}, {"token": "b", "logProbability": -1}],
        "topCandidates": [{"candidates": [{"token": "a", "logProbability": -2}]}],
    }
    assert heard(frame({"text": "éb"}, logprobsResult=result))[1] == TextDelta(
        "", (Logprob("é".encode(), -0.5, (Alternative(b"a", -2.0),)), Logprob(b"b", -1.0))
    )


def test_unknown_parts_are_ignored() -> None:
    """Code that it ran, pictures that it drew, and what comes in years to come."""
    parts = ({"executableCode": {"code": "1"}}, {"inlineData": {"data": "QQ=="}}, {"new": 1}, {"text": "a"})
    assert heard(frame(*parts), {"new": {}}) == [TextDelta("a"), Finish("stop", NONE)]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 503, "status": "UNAVAILABLE"}, Overloaded),
        ({"code": 429, "status": "RESOURCE_EXHAUSTED"}, RateLimited),
        ({"code": 500, "status": "INTERNAL"}, Unreachable),
        ({"code": 400, "status": "INVALID_ARGUMENT"}, Unsupported),
        ({"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}, KeyRejected),
        ({"status": "ODD"}, BadAnswer),
    ],
)
def test_errors_inside_an_answer(error: dict[str, Any], kind: type[ProviderError]) -> None:
    """They are what they would have been in front of one, and don't quote."""
    with pytest.raises(kind) as raised:
        heard(frame({"text": "a"}, reason=None), {"error": {"message": CANARY, **error}})
    assert type(raised.value) is kind
    assert CANARY not in str(raised.value)


@pytest.mark.parametrize(
    "body",
    [b"<html>", b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"b":"\xc3"}}}]}}]}'],
)
def test_something_else(body: bytes) -> None:
    """What isn't in this format says which setting to look at."""
    with pytest.raises(BadAnswer, match="wire"):
        Hearing("work", "r").frame(body)

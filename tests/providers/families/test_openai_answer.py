"""An OpenAI-compatible answer, from frames to deltas, with the ways in which servers differ."""

from __future__ import annotations

import json
from typing import Any

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
from providers.families.openai_answer import Hearing

CANARY = "my secret diary"


def heard(*frames: Any, done: bool = True) -> list[Delta]:
    """The deltas of these frames."""
    hearing = Hearing("work", "r1")
    deltas = [delta for frame in frames for delta in hearing.frame(json.dumps(frame).encode())]
    if done:
        assert hearing.frame(b" [DONE]") == []
        assert hearing.ended
    return deltas + hearing.end()


def chunk(finish_reason: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish_reason}]}


def calls(*fragments: dict[str, Any]) -> dict[str, Any]:
    return chunk(tool_calls=list(fragments))


def fragment(
    index: int | None, id: str | None = None, name: str | None = None, arguments: Any = None
) -> dict[str, Any]:
    made: dict[str, Any] = {"function": {"name": name, "arguments": arguments}}
    return made | ({"index": index} if index is not None else {}) | ({"id": id} if id is not None else {})


NONE = Usage(0, 0)


def test_words_and_usage() -> None:
    """Words come as they are said; the usage of a last frame without choices stands in the finish."""
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13,
             "prompt_tokens_details": {"cached_tokens": 5, "audio_tokens": None},
             "completion_tokens_details": {"reasoning_tokens": 3}}  # fmt: skip

    deltas = heard(
        chunk(role="assistant", content=""), chunk(content="Hel"), chunk(content="lo"), chunk("stop"),
        {"choices": [], "usage": usage},
    )  # fmt: skip

    assert deltas == [TextDelta("Hel"), TextDelta("lo"), Finish("stop", Usage(9, 4, 5, 3))]


@pytest.mark.parametrize(
    "frames",
    [
        [chunk("stop", content="a"), {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "prompt_cache_hit_tokens": 1}}],
        [chunk(content="a") | {"usage": {"prompt_tokens": 1, "completion_tokens": 1}},
         chunk("stop") | {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}}],
    ],
)  # fmt: skip
def test_usage_wherever_it_stands(frames: list[Any]) -> None:
    """Usage may come in each frame, with the last word, or without choices; the last one counts."""
    assert heard(*frames)[-1] == Finish("stop", Usage(1, 2, 1))


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_under_two_names(name: str) -> None:
    """Reasoning is heard under both names, and before the words of the same frame; told twice it is heard once."""
    deltas = heard(chunk(**{name: "hm"}), chunk("stop", content="so", reasoning="x", reasoning_content="x"))

    assert deltas == [ThoughtDelta("hm"), ThoughtDelta("x"), TextDelta("so"), Finish("stop", NONE)]


def test_thoughts_in_a_list() -> None:
    """Mistral's list of thinking and text is both."""
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "so"},
        {"type": "new"},
    ]

    assert heard(chunk("stop", content=content))[:2] == [ThoughtDelta("hm"), TextDelta("so")]


def test_a_refusal_is_words() -> None:
    """What the model refuses with is its answer."""
    assert heard(chunk("stop", refusal="I can't"))[0] == TextDelta("I can't")


def test_tool_calls() -> None:
    """Fragments are keyed by index; id and name come with the first piece only, also where servers repeat them."""
    deltas = heard(
        calls(fragment(0, "c1", "look", "")),
        calls(fragment(0, None, None, '{"a"')),
        calls(fragment(1, "c2", "find", "{}"), fragment(0, "c1", "look", ":1}")),
        chunk("tool_calls"),
    )

    assert deltas == [
        ToolCallDelta(0, "c1", "look", ""),
        ToolCallDelta(0, arguments='{"a"'),
        ToolCallDelta(1, "c2", "find", "{}"),
        ToolCallDelta(0, arguments=":1}"),
        Finish("tool_calls", NONE),
    ]


@pytest.mark.parametrize("index", [None, 0])
def test_tool_calls_without_places(index: int | None) -> None:
    """Servers that give no index, or 0 to all, mean another call by another id."""
    deltas = heard(
        calls(fragment(index, "a", "one", "{}")),
        calls(fragment(index, "b", "two", "{")),
        calls(fragment(index, None, None, "}")),
    )

    assert deltas[:3] == [
        ToolCallDelta(0, "a", "one", "{}"),
        ToolCallDelta(1, "b", "two", "{"),
        ToolCallDelta(1, arguments="}"),
    ]


def test_a_tool_call_without_an_id_gets_one() -> None:
    """Two calls without ids get two ids, made from the request's."""
    deltas = heard(calls(fragment(0, None, "one", "{}"), fragment(1, "", "two", "{}")))

    assert deltas[:2] == [ToolCallDelta(0, "call_r1_0_0", "one", "{}"), ToolCallDelta(1, "call_r1_0_1", "two", "{}")]


def test_a_name_that_comes_late_waits() -> None:
    """Arguments that come before the name are held until the call can be opened."""
    deltas = heard(calls(fragment(0, "c1", None, '{"a"')), calls(fragment(0, None, "look", ":1}")))

    assert deltas[0] == ToolCallDelta(0, "c1", "look", '{"a":1}')


def test_arguments_as_an_object() -> None:
    """Arguments that come as an object are written as JSON."""
    assert heard(calls(fragment(0, "c", "f", {"a": [1]})))[0] == ToolCallDelta(0, "c", "f", '{"a":[1]}')


def test_empty_tool_calls_are_nothing() -> None:
    """An empty list next to words is no call."""
    assert heard(chunk("stop", content="a", tool_calls=[])) == [TextDelta("a"), Finish("stop", NONE)]


def test_the_old_function_call() -> None:
    """`function_call` of the first API is a tool call."""
    deltas = heard(
        chunk(function_call={"name": "f", "arguments": "{"}), chunk("function_call", function_call={"arguments": "}"})
    )

    assert deltas == [
        ToolCallDelta(0, "call_r1_0_0", "f", "{"),
        ToolCallDelta(0, arguments="}"),
        Finish("tool_calls", NONE),
    ]


def test_log_probabilities() -> None:
    """Tokens come by their bytes, or by their text where bytes are missing; what has no number is left out."""
    content = [
        {"token": "ä", "logprob": -0.5, "bytes": [195, 164], "top_logprobs": [{"token": "a", "logprob": -1.5, "bytes": None}, {"token": "b"}]},
        {"token": "\\xc3", "logprob": -1, "bytes": [195]},
        {"token": "x", "logprob": None},
    ]  # fmt: skip
    frame = {"choices": [{"delta": {"content": "ä"}, "logprobs": {"content": content}, "finish_reason": "stop"}]}

    assert heard(frame)[0] == TextDelta(
        "ä", (Logprob("ä".encode(), -0.5, (Alternative(b"a", -1.5),)), Logprob(b"\xc3", -1.0))
    )


def test_several_choices() -> None:
    """Each choice finishes by itself; the tokens of all are counted once."""
    deltas = heard(
        chunk(index=1, content="b"), chunk(content="a"), chunk("stop"), chunk("length", index=1),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}},
    )  # fmt: skip

    assert deltas == [
        TextDelta("b", choice=1),
        TextDelta("a"),
        Finish("stop", Usage(3, 5)),
        Finish("length", Usage(3, 0), 1),
    ]


@pytest.mark.parametrize(
    ("said", "reason"),
    [("stop", "stop"), ("eos", "stop"), ("end_turn", "stop"), ("length", "length"), ("max_tokens", "length"),
     ("content_filter", "content_filter"), ("tool_use", "tool_calls")],
)  # fmt: skip
def test_finish_reasons(said: str, reason: str) -> None:
    """Each server's word for the end is one of ours."""
    finish = heard(chunk(said, content="a"))[-1]

    assert isinstance(finish, Finish) and finish.reason == reason


def test_a_call_ends_as_a_call() -> None:
    """Where a server says stop behind a tool call, the reason is the call."""
    assert heard(calls(fragment(0, "c", "f", "{}")), chunk("stop"))[-1] == Finish("tool_calls", NONE)


# ---- ends -----------------------------------------------------------------------------------------------------------


def test_a_finish_without_an_end_mark_is_an_end() -> None:
    """Who says why it ended has ended."""
    assert heard(chunk("stop", content="a"), done=False)[-1] == Finish("stop", NONE)


def test_an_end_mark_without_a_finish_is_an_end() -> None:
    """Who sends the end mark has ended."""
    assert heard(chunk(content="a"))[-1] == Finish("stop", NONE)


def test_neither_is_a_cut() -> None:
    """An answer that stops without a word about its end broke off."""
    with pytest.raises(Unreachable, match="went away in mid-answer"):
        heard(chunk(content="a"), done=False)


def test_one_choice_of_two_that_broke_off() -> None:
    """If one of several choices has no end, the answer broke off."""
    with pytest.raises(Unreachable, match="went away"):
        heard(chunk("stop", content="a"), chunk(content="b", index=1), done=False)


def test_silence() -> None:
    """An end mark after nothing is an empty answer; nothing at all is nobody there."""
    with pytest.raises(NoAnswer):
        heard()
    with pytest.raises(Unreachable, match="without an answer"):
        heard(done=False)


# ---- a whole completion ---------------------------------------------------------------------------------------------


def test_a_whole_completion() -> None:
    """A completion that isn't streamed is the same deltas at once."""
    message = {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }
    whole = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls", "logprobs": None}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }

    assert heard(whole, done=False) == [
        ThoughtDelta("hm"),
        TextDelta("so"),
        ToolCallDelta(0, "c", "f", "{}"),
        Finish("tool_calls", Usage(1, 2)),
    ]


# ---- errors inside --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ({"error": {"message": CANARY, "code": 429}}, RateLimited),
        ({"error": {"message": CANARY, "code": "502", "metadata": {}}}, Unreachable),
        ({"error": {"message": CANARY, "type": "rate_limit_error"}}, RateLimited),
        ({"error": {"message": CANARY, "type": "overloaded_error"}}, Overloaded),
        ({"error": {"message": CANARY, "type": "server_error", "code": None}}, Unreachable),
        ({"error": {"message": CANARY, "code": "invalid_api_key"}}, KeyRejected),
        ({"error": {"message": "maximum context length is 5 tokens, you requested 9 tokens", "code": "context_length_exceeded"}}, ContextTooLong),
        ({"error": {"message": CANARY, "type": "invalid_request_error"}}, Unsupported),
        ({"error": {"message": CANARY, "type": "strange_thing"}}, BadAnswer),
        ({"error": CANARY}, BadAnswer),
        ({"error": {"message": CANARY}}, BadAnswer),
        ({"object": "error", "message": CANARY, "type": "BadRequestError", "code": 400}, Unsupported),
        ({"choices": [{"delta": {"content": ""}, "finish_reason": "error", "error": {"code": 502, "message": CANARY}}]}, Unreachable),
        ({"choices": [{"delta": {}, "finish_reason": "error"}]}, BadAnswer),
    ],
)  # fmt: skip
def test_an_error_inside_the_answer(frame: Any, kind: type[ProviderError]) -> None:
    """An error frame ends the answer as the error that its code means, without the provider's words."""
    with pytest.raises(kind) as caught:
        heard(chunk(content="a"), frame)

    assert type(caught.value) is kind
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"[]", b"3", b'{"choices": 3}', b'{"choices": [{"delta": 3}]}', b"\xff", b'{"a":' * 9999]
)
def test_what_is_no_frame(data: bytes) -> None:
    """What isn't OpenAI's format says what to look at."""
    with pytest.raises(BadAnswer, match="check base_url and wire"):
        Hearing("work", "r1").frame(data)


def test_what_is_left_out_is_survived() -> None:
    """Nulls and missing fields, as servers send them, are nothing."""
    frames = [
        {}, {"choices": None}, {"choices": [{}]}, {"choices": [{"delta": None}]}, {"choices": [{"delta": {"content": None, "tool_calls": None}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0}]}}]}, {"usage": None}, {"usage": {"prompt_tokens": None}}, {"error": None},
    ]  # fmt: skip

    deltas = heard(*frames, chunk("stop", content="a"))

    assert deltas == [TextDelta("a"), Finish("stop", NONE)]


@pytest.mark.parametrize(
    ("frames", "usage"),
    [
        # docs.x.ai, an answer of grok: reasoning is beside completion_tokens, and in the total
        (
            [
                {
                    **chunk("stop", content="4"),
                    "usage": {
                        "prompt_tokens": 32,
                        "completion_tokens": 9,
                        "total_tokens": 135,
                        "prompt_tokens_details": {"text_tokens": 32, "cached_tokens": 6},
                        "completion_tokens_details": {"reasoning_tokens": 94},
                    },
                }
            ],
            Usage(32, 103, 6, 94),
        ),
        # Gemini's OpenAI door: thoughts are in the total alone
        (
            [
                {
                    **chunk("stop", content="4"),
                    "usage": {"prompt_tokens": 20, "completion_tokens": 424, "total_tokens": 1016},
                }
            ],
            Usage(20, 996),
        ),
        # Groq: in a place of its own, behind a stream's last choice
        (
            [
                chunk(content="4"),
                {
                    **chunk("stop"),
                    "x_groq": {
                        "id": "req_1",
                        "usage": {"prompt_tokens": 18, "completion_tokens": 5, "total_tokens": 23},
                    },
                },
            ],
            Usage(18, 5),
        ),
        # Moonshot: in the choice, and cached tokens beside the others
        (
            [
                {
                    "choices": [
                        {
                            "index": 0,
                            "delta": {"content": "4"},
                            "finish_reason": "stop",
                            "usage": {
                                "prompt_tokens": 19,
                                "completion_tokens": 13,
                                "total_tokens": 32,
                                "cached_tokens": 10,
                            },
                        }
                    ]
                }
            ],
            Usage(19, 13, 10),
        ),
    ],
    ids=["xai", "gemini", "groq", "moonshot"],
)
def test_usage_in_other_places(frames: list[dict[str, Any]], usage: Usage) -> None:
    """To the token, wherever a vendor tells it."""
    assert heard(*frames) == [TextDelta("4"), Finish("stop", usage)]

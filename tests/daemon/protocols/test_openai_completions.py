"""OpenAI's legacy Completions, bytes to values and back."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.protocols import openai_completions as codec
from daemon.protocols.base import Envelope, Problem
from providers.contract import (
    Alternative,
    Choice,
    Delta,
    Finish,
    Logprob,
    Message,
    Request,
    Response,
    Sampling,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    Usage,
)
from providers.wire import openai_completions as wire

ENVELOPE: Final = Envelope("00000000000000aa", None, None, None, "any", 1_700_000_000)
LOGPROBS: Final = (
    Logprob(b"a\xc3", -0.5, (Alternative(b"a", -0.5), Alternative(b"b", -1.5))),
    Logprob(b" b", -0.25, (Alternative(b" b", -0.25),)),
)


def asked(**fields: Any) -> Request:
    return codec.read(json.dumps({"model": "local", "prompt": "hi", **fields}).encode(), ENVELOPE)


def stream(*deltas: Delta, **fields: Any) -> list[Any]:
    out = codec.writer(asked(**fields), ENVELOPE)
    raw = b"".join(out.feed(delta, "local/play") for delta in deltas) + out.end()
    frames = [frame.removeprefix("data: ") for frame in raw.decode().split("\n\n")[:-1]]
    assert frames[-1] == "[DONE]"
    return [json.loads(frame) for frame in frames[:-1]]


@pytest.mark.parametrize("prompt", ["hi", ["hi"]])
def test_a_prompt_is_a_users_turn(prompt: Any) -> None:
    """One text, alone or in a list."""
    assert asked(prompt=prompt).messages == (Message("user", (Text("hi"),)),)


def test_sampling() -> None:
    """All of it, log-probabilities by how many there shall be."""
    assert asked(max_tokens=9, temperature=0.5, top_p=0.25, seed=3, stop=["x"], n=2, presence_penalty=1).sampling == (
        Sampling(max_tokens=9, temperature=0.5, top_p=0.25, seed=3, stop=("x",), choices=2, presence_penalty=1)
    )
    assert asked(logprobs=0).sampling == Sampling(logprobs=True)
    assert asked(logprobs=2).sampling == Sampling(logprobs=True, top_logprobs=2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prompt", None),
        ("prompt", []),
        ("prompt", ["a", "b"]),
        ("prompt", [1, 2]),
        ("prompt", [[1], [2]]),
        ("echo", True),
        ("suffix", "end"),
        ("best_of", 3),
        ("logprobs", -1),
        ("stop", [""]),
    ],
)
def test_what_would_change_the_answer_is_refused(field: str, value: Any) -> None:
    """What a client relies on, and that is not here, is an error by its name."""
    with pytest.raises(BadRequest) as caught:
        asked(**{field: value})

    assert caught.value.parameter == field


def test_what_is_left_aside_is_told() -> None:
    """Fields that change nothing, and those that say what is so anyway."""
    assert asked(user="u", logit_bias={"1": 2}, mystery=1).ignored == ("user", "logit_bias", "other")
    assert asked(user="u", logit_bias={"1": 2}).extras == {"user": "u"}
    assert asked(echo=False, suffix="", best_of=1, user=None).ignored == ()


def test_a_stream() -> None:
    """Pieces, a reason, and the usage where it was asked for."""
    frames = stream(
        ThoughtDelta("hm"),
        TextDelta("so"),
        TextDelta(" be it"),
        Finish("length", Usage(7, 3)),
        stream_options={"include_usage": True},
    )

    assert [frame["choices"] for frame in frames] == [
        [{"index": 0, "text": "", "logprobs": None, "finish_reason": None, "reasoning_content": "hm"}],
        [{"index": 0, "text": "so", "logprobs": None, "finish_reason": None}],
        [{"index": 0, "text": " be it", "logprobs": None, "finish_reason": None}],
        [{"index": 0, "text": "", "logprobs": None, "finish_reason": "length"}],
        [],
    ]
    assert [frame["usage"] and frame["usage"]["total_tokens"] for frame in frames] == [None, None, None, None, 10]
    assert {(frame["id"], frame["object"], frame["model"]) for frame in frames} == {
        ("cmpl-00000000000000aa", "text_completion", "local/play")
    }
    assert "usage" not in stream(TextDelta("so"), Finish("stop", Usage(1, 1)))[0]


def test_logprobs_in_columns() -> None:
    """Tokens, their probabilities and where they begin; alternatives only where they were asked for. Offsets go on in a
    stream.
    """
    frames = stream(
        TextDelta("a", LOGPROBS[:1]), TextDelta(" b", LOGPROBS[1:]), Finish("stop", Usage(1, 2)), logprobs=2
    )
    choice = Choice((Text("a b"),), "stop", LOGPROBS)
    whole = json.loads(codec.writer(asked(logprobs=0), ENVELOPE).whole(Response((choice,), Usage(1, 2)), "m"))

    assert frames[0]["choices"][0]["logprobs"] == {
        "tokens": ["a\ufffd"],
        "token_logprobs": [-0.5],
        "top_logprobs": [{"a": -0.5, "b": -1.5}],
        "text_offset": [0],
    }
    assert frames[1]["choices"][0]["logprobs"]["text_offset"] == [2]
    assert whole["choices"][0]["logprobs"] == {
        "tokens": ["a\ufffd", " b"],
        "token_logprobs": [-0.5, -0.25],
        "top_logprobs": None,
        "text_offset": [0, 2],
    }


def test_a_whole_answer() -> None:
    """All choices, thoughts beside them, and the usage."""
    choices = (Choice((Thought("hm"), Text("so")), "stop"), Choice((Text("no"),), "length"))

    told = json.loads(codec.writer(asked(n=2), ENVELOPE).whole(Response(choices, Usage(3, 2)), "local/play"))

    assert [(choice["index"], choice["text"], choice["finish_reason"]) for choice in told["choices"]] == [
        (0, "so", "stop"),
        (1, "no", "length"),
    ]
    assert told["choices"][0]["reasoning_content"] == "hm"
    assert told["usage"]["total_tokens"] == 5


def test_errors_name_this_protocols_fields() -> None:
    """What a provider calls otherwise."""
    told = json.loads(codec.refusal(Problem(400, "unsupported_parameter", "no", "top_logprobs")))

    assert told["error"]["param"] == "logprobs"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@settings_of(deadline=None, max_examples=150)
@given(
    body=st.dictionaries(
        st.sampled_from([*wire.CompletionRequest.__struct_fields__, "x", "user"]), anything, max_size=4
    )
)
def test_any_body_is_read_or_refused(body: dict[str, Any]) -> None:
    """Whatever a client sends, it is a request or its own mistake."""
    try:
        assert asked(**body).messages
    except BadRequest as error:
        assert str(error)

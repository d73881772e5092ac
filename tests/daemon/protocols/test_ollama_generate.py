"""Ollama's completion of one prompt, from bytes to the neutral model and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.errors import BadRequest
from daemon.protocols import ollama_generate
from daemon.protocols.base import Envelope
from providers.contract import (
    BadAnswer,
    Choice,
    Finish,
    Image,
    Message,
    Request,
    Response,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)
from tests.daemon.protocols.test_ollama_chat import PNG

ENVELOPE = Envelope("00000000000000aa", None, None, None, "any", 1_700_000_000)


def read(**body: Any) -> Request:
    return ollama_generate.read(json.dumps({"model": "local", "prompt": "hi", **body}).encode(), ENVELOPE)


def test_a_prompt_is_a_users_turn() -> None:
    """Behind what the client has as the system's."""
    assert read().messages == (Message("user", (Text("hi"),)),)
    assert read(system="be brief", images=[PNG]).messages == (
        Message("system", (Text("be brief"),)),
        Message("user", (Text("hi"), Image(f"data:image/png;base64,{PNG}"))),
    )


@pytest.mark.parametrize("prompt", ["", None])
def test_no_prompt_asks_for_nothing_but_the_model(prompt: str | None) -> None:
    """Whatever else stands there: Ollama's clients load a model that way."""
    assert read(prompt=prompt, system="be brief").messages == ()


@pytest.mark.parametrize(
    ("field", "value"), [("raw", True), ("template", "{{ .Prompt }}"), ("suffix", "end"), ("context", [1, 2])]
)
def test_what_would_be_another_answer_is_refused(field: str, value: Any) -> None:
    """Fields that change what is answered are refused by name; empty, they mean nothing."""
    with pytest.raises(BadRequest) as caught:
        read(**{field: value})
    assert caught.value.parameter == field

    assert read(**{field: type(value)()}).messages


def test_an_answer_is_a_text() -> None:
    """Streamed and whole, with reasoning apart."""
    writer = ollama_generate.writer(read(), ENVELOPE)
    deltas = (ThoughtDelta("hm"), TextDelta("so"), Finish("length", Usage(1, 2)))
    written = [json.loads(line) for delta in deltas for line in writer.feed(delta, "local/play").splitlines()]

    assert [(line["response"], line.get("thinking"), line["done"]) for line in written] == [
        ("", "hm", False),
        ("so", None, False),
        ("", None, True),
    ]
    assert (written[-1]["done_reason"], written[-1]["prompt_eval_count"], written[-1]["eval_count"]) == ("length", 1, 2)
    assert writer.end() == b""

    answer = Response((Choice((Thought("hm"), Text("so")), "stop"),), Usage(1, 2))
    whole = json.loads(ollama_generate.writer(read(), ENVELOPE).whole(answer, "local/play"))
    assert (whole["response"], whole["thinking"], whole["done"], whole["done_reason"]) == ("so", "hm", True, "stop")


def test_a_call_that_nobody_offered_is_an_error() -> None:
    """There are no tools in this form of asking."""
    writer = ollama_generate.writer(read(), ENVELOPE)
    writer.feed(ToolCallDelta(0, "c1", "look", "{}"), "local/play")

    with pytest.raises(BadAnswer):
        writer.feed(Finish("tool_calls", Usage(1, 1)), "local/play")

"""The recorded provider: real HTTP on loopback, streamed and whole, and each byte kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from daemon.demo.agent import folded
from daemon.demo.answers import Answers, RecordedCall, RecordedTurn
from daemon.demo.provider import RecordedProvider

ARGUMENTS = {"path": "a file with a rather long name, ü", "old": "x" * 40}
ANSWERS = Answers(
    "ours",
    {},
    (
        RecordedTurn(
            "Some words, of several pieces.", (RecordedCall("read", {"path": "a"}), RecordedCall("edit", ARGUMENTS))
        ),
    ),
)


@pytest.fixture
def provider() -> Iterator[RecordedProvider]:
    with RecordedProvider(ANSWERS) as running:
        yield running


def ask(provider: RecordedProvider, **body: Any) -> httpx.Response:
    with httpx.Client(trust_env=False) as client:
        return client.post(f"{provider.url}/chat/completions", json=body, headers={"x-canary": "in-the-head"})


def test_streamed_and_whole_say_the_same(provider: RecordedProvider) -> None:
    """Words and calls with their arguments, which a client folds to the same message."""
    messages = [{"role": "user", "content": "hello"}]
    whole = ask(provider, messages=messages).json()["choices"][0]
    streamed = ask(provider, messages=messages, stream=True)

    assert streamed.headers["content-type"] == "text/event-stream"
    assert streamed.text.endswith("data: [DONE]\n\n")
    assert folded(streamed.content) == whole["message"]
    assert whole["finish_reason"] == "tool_calls"
    assert [json.loads(call["function"]["arguments"]) for call in whole["message"]["tool_calls"]] == [
        {"path": "a"}, ARGUMENTS,
    ]  # fmt: skip


def test_every_byte_is_kept(provider: RecordedProvider) -> None:
    """Of heads and bodies."""
    ask(provider, messages=[{"role": "user", "content": "canary"}], model="m")

    assert b"in-the-head" in provider.received
    assert json.loads(provider.bodies[0])["model"] == "m"
    assert provider.bodies[0] in provider.received


def test_what_was_not_recorded_is_refused(provider: RecordedProvider) -> None:
    """With a status, and not with words that nobody recorded; and so is what is no request."""
    over = ask(provider, messages=[{"role": "assistant", "content": "x"}])
    assert over.status_code == 400
    assert "ends after 1 turns" in over.json()["error"]["message"]
    assert ask(provider, other=1).status_code == 400

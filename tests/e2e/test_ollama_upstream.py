"""Another Nearloop's Ollama surface as a provider: two daemons, and Ollama's own words between them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

import httpx
import pytest

from tests.fakes.house import nearloop
from tests.fakes.running import SCRIPTED, RunningDaemon, running

pytestmark = pytest.mark.slow

SETTINGS: Final = (
    SCRIPTED.format(options="")
    + """
[providers.near]
wire = "ollama"
base_url = "http://127.0.0.1:{port}/api"
models = ["local"]
key = "none"
place = "device"
"""
)
LOOK: Final = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CALL: Final = 'Say: <tool_call>{"name": "look", "arguments": {"at": 1}}</tool_call>'


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningDaemon, RunningDaemon]]:
    """The server beside, and a daemon that knows it."""
    with ExitStack() as stack:
        beside = stack.enter_context(running(tmp_path_factory.mktemp("beside"), "context=400"))
        with beside.client() as control:
            port = control.discovery.port
        front = RunningDaemon(tmp_path_factory.mktemp("front"), SETTINGS.replace("{port}", str(port)))
        stack.callback(front.stop)
        front.wait_ready()
        yield beside, front


def chat(front: RunningDaemon, content: Any, stream: bool = False, **more: Any) -> httpx.Response:
    body = {"model": "near/local", "messages": [{"role": "user", "content": content}], "stream": stream, **more}
    return asked(front, body)


def asked(front: RunningDaemon, body: Any) -> httpx.Response:
    headers = {"authorization": f"Bearer {front.admin_token}"}
    return httpx.post(f"{front.url}/v1/chat/completions", json=body, headers=headers, timeout=60)


def chunks(answer: httpx.Response) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("stream", [False, True])
def test_words_and_counts(stage: tuple[RunningDaemon, RunningDaemon], stream: bool) -> None:
    """They come through both to the token."""
    beside, front = stage
    direct = httpx.post(
        f"{beside.url}/api/chat",
        json={"model": "local", "messages": [{"role": "user", "content": "Say: äöü"}], "stream": False},
        timeout=60,
    ).json()

    answer = chat(front, "Say: äöü", stream, **({"stream_options": {"include_usage": True}} if stream else {}))

    assert answer.status_code == 200, answer.text
    if stream:
        told = chunks(answer)
        text = "".join(choice["delta"].get("content") or "" for chunk in told for choice in chunk["choices"])
        usage = told[-1]["usage"]
    else:
        text, usage = answer.json()["choices"][0]["message"]["content"], answer.json()["usage"]
    assert text == direct["message"]["content"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (direct["prompt_eval_count"], direct["eval_count"])
    assert "x-nearloop-ignored" not in answer.headers


@pytest.mark.parametrize("stream", [False, True])
def test_calls(stage: tuple[RunningDaemon, RunningDaemon], stream: bool) -> None:
    """A call comes as an object and leaves as its text, and its result goes back under its id."""
    _, front = stage
    answer = chat(front, CALL, stream, tools=[LOOK])

    assert answer.status_code == 200, answer.text
    if stream:
        pieces = [
            call
            for chunk in chunks(answer)
            for choice in chunk["choices"]
            for call in choice["delta"].get("tool_calls", ())
        ]
        call = {"id": pieces[0]["id"], "type": "function", "function": {"name": pieces[0]["function"]["name"]}}
        call["function"]["arguments"] = "".join(piece["function"]["arguments"] for piece in pieces)
    else:
        (call,) = answer.json()["choices"][0]["message"]["tool_calls"]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("look", {"at": 1})
    turns = [
        {"role": "user", "content": CALL},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": "Say: seen"},
    ]
    body = {"model": "near/local", "messages": turns, "tools": [LOOK], "stream": False}
    again = asked(front, body)
    assert again.status_code == 200, again.text


def test_a_prompt_that_does_not_fit(stage: tuple[RunningDaemon, RunningDaemon]) -> None:
    """It is refused in this client's words, and nothing was cut."""
    _, front = stage
    for stream in (False, True):
        answer = chat(front, "word " * 3000, stream)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["code"] == "context_length_exceeded"


def test_its_models(stage: tuple[RunningDaemon, RunningDaemon]) -> None:
    """As it lists them to Ollama's clients."""
    beside, front = stage
    listed = [each["name"] for each in httpx.get(f"{beside.url}/api/tags").json()["models"]]
    told = nearloop(front.home, "provider", "test", "near")

    assert listed
    assert str(len(listed)) in told

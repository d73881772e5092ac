"""Ollama's API in front of a provider that speaks Chat Completions: what crosses, and what comes back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.daemon.protocols.test_ollama_chat import PNG
from tests.e2e.test_responses_provider import EMAIL, PARALLEL, call
from tests.fakes.house import House, house
from tests.fakes.upstream import HELLO, Answer, Cut, Upstream, as_json, frames, said

pytestmark = pytest.mark.slow

LOOK: Final = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
ENDED: Final = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


async def chat(here: House[Upstream], *messages: Any, **body: Any) -> list[dict[str, Any]]:
    """The lines of an answer."""
    answer = await here.client.post("/api/chat", json={"model": "cloud", "messages": messages, **body})
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize("stream", [True, False])
async def test_a_tool_session(tmp_path: Path, stream: bool) -> None:
    """Reasoning, words and parallel calls come back; results without ids go on under those that the calls had."""
    user = {"role": "user", "content": "go"}
    async with house(tmp_path, PARALLEL, HELLO) as here:
        lines = await chat(here, user, tools=[LOOK], stream=stream)
        calls = [call for line in lines for call in line["message"].get("tool_calls", ())]

        assert "".join(line["message"].get("thinking", "") for line in lines) == "hm"
        assert "".join(line["message"]["content"] for line in lines) == "Wait."
        assert [call["function"]["arguments"] for call in calls] == [{"at": 1}, {}]
        assert (lines[-1]["done_reason"], lines[-1]["prompt_eval_count"], lines[-1]["eval_count"]) == ("stop", 9, 6)

        made = {"role": "assistant", "content": "Wait.", "thinking": "hm", "tool_calls": calls}
        results = [{"role": "tool", "tool_name": "look", "content": word} for word in ("C1", "C2")]
        await chat(here, user, made, *results, tools=[LOOK])
        sent = here.served.requests[1].json["messages"]

        assert [message["role"] for message in sent] == ["user", "assistant", "tool", "tool"]
        assert [(each["id"], each["function"]["arguments"]) for each in sent[1]["tool_calls"]] == [
            ("c1", '{"at":1}'),
            ("c2", "{}"),
        ]
        assert [(message["tool_call_id"], message["content"]) for message in sent[2:]] == [("c1", "C1"), ("c2", "C2")]


async def test_what_was_masked_comes_back_in_a_call(tmp_path: Path) -> None:
    """A private value leaves as a placeholder, and stands in the call's object again, however the call was cut."""
    question = {"role": "user", "content": f"Write to {EMAIL}."}
    async with house(tmp_path, HELLO) as here:
        await chat(here, question)
        sent: str = here.served.requests[0].json["messages"][0]["content"]
        placeholder = sent.removeprefix("Write to ").removesuffix(".")
        first, rest = f'{{"to": "{placeholder[:4]}', f'{placeholder[4:]}"}}'
        here.served.answers.append(Answer(frames(call(0, first, "c1", "look"), call(0, rest), ENDED)))

        lines = await chat(here, question, tools=[LOOK])

        assert EMAIL.encode() not in bytes(here.served.bytes)
        (called,) = [call for line in lines for call in line["message"].get("tool_calls", ())]
        assert called["function"]["arguments"] == {"to": EMAIL}


async def test_what_crosses(tmp_path: Path) -> None:
    """Format, limits and stop strings are the provider's words for them; what it can't be told is reported."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    options = {"num_predict": 5, "stop": ["x"], "seed": 3, "num_ctx": 1}
    body = {"model": "cloud", "prompt": "go", "format": schema, "options": options, "think": True, "keep_alive": "5m"}
    body["stream"] = False  # so that the headers wait for whoever answers
    async with house(tmp_path, HELLO) as here:
        answer = await here.client.post("/api/generate", json=body)
        sent = here.served.requests[0].json

        assert answer.headers["x-nearloop-ignored"].split(", ") == ["options.num_ctx", "think", "keep_alive"]
        assert sent["response_format"]["json_schema"]["schema"] == schema
        assert (sent["seed"], sent["stop"], sent.get("max_tokens", sent.get("max_completion_tokens"))) == (3, ["x"], 5)
        assert answer.json()["response"] == "Hello"


async def test_a_picture_stays_here(tmp_path: Path) -> None:
    """A picture is private by itself: it stays here, and the refusal says so."""
    async with house(tmp_path, HELLO) as here:
        asked = {"model": "cloud", "messages": [{"role": "user", "content": "what?", "images": [PNG]}], "stream": False}
        answer = await here.client.post("/api/chat", json=asked)

        assert (answer.status_code, answer.json()["code"]) == (403, "private")
        assert here.served.requests == []


async def test_failures(tmp_path: Path) -> None:
    """Too many requests keep their time to wait; a connection that is lost in mid-answer is a line that is an error."""
    limited = as_json({"error": {"message": "slow down"}}, 429, retry_after="61")
    cut = Answer((*frames(said("Hel"), done=False), Cut()))
    odd = Answer(frames(call(0, "[1]", "c1", "look"), ENDED))
    asked = {"model": "cloud", "messages": [{"role": "user", "content": "go"}], "tools": [LOOK]}
    async with house(tmp_path, limited, cut, odd) as here:
        waits = await here.client.post("/api/chat", json=asked)
        assert (waits.status_code, waits.headers["retry-after"], waits.json()["code"]) == (429, "61", "rate_limited")
        await asyncio.to_thread(here.daemon.renew)

        broken = (await here.client.post("/api/chat", json=asked)).text.splitlines()
        assert json.loads(broken[0])["message"]["content"] == "Hel"
        assert set(json.loads(broken[-1])) == {"error", "code"}

        for stream in (True, False):
            no_call = await here.client.post("/api/chat", json={**asked, "stream": stream})
            assert (no_call.status_code, no_call.json()["code"]) == (502, "bad_answer")

"""A provider behind the daemon: what it is sent, how its failures are told, and when it is asked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.house import CHAT, KEY, house, house_of
from tests.fakes.upstream import HELLO, Answer, Pause, Received, Upstream, as_json

pytestmark = pytest.mark.slow


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a_request_and_its_receipt(tmp_path: Path) -> None:
    """The provider gets the request with its key, once; the record has the receipt of those bytes, and no key anywhere."""
    import hashlib

    async with house(tmp_path, HELLO) as here:
        answer = await here.ask("good morning")
        record = await here.record(answer)

        (received,) = here.served.requests
        assert answer.json()["choices"][0]["message"]["content"] == "Hello"
        assert answer.json()["model"] == "work/big"
        assert answer.headers["x-nearloop-egress"] == record.egress == "open"
        assert received.headers["authorization"] == f"Bearer {KEY}"
        assert received.json["messages"] == [{"role": "user", "content": "good morning"}]
        assert record.receipts[0].sha256 == hashlib.sha256(received.body).hexdigest()
        assert record.receipts[0].body_bytes == len(received.body)
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


async def test_what_passes_by_itself_is_asked_again(tmp_path: Path) -> None:
    """A provider that is full for a moment is asked once more; the record shows both attempts."""
    busy = as_json({"error": {"message": "slow down"}}, 429, retry_after="0")
    async with house(tmp_path, busy, HELLO) as here:
        answer = await here.ask("hello")

        assert answer.status_code == 200
        record = await here.record(answer)
        assert [attempt.error for attempt in record.attempts] == ["RateLimited", None]
        assert len(record.receipts) == 2


async def test_a_long_wait_is_the_clients_to_make(tmp_path: Path) -> None:
    """A provider that wants a minute is passed on with its word, and without the words of its error."""
    async with house(tmp_path, as_json({"error": {"message": "you said hello"}}, 429, retry_after="60")) as here:
        answer = await here.ask("hello")

        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "60"
        assert "you said" not in answer.text
        assert len(here.served.requests) == 1


async def test_a_rejected_key(tmp_path: Path) -> None:
    """It is told by name, and not asked again."""
    async with house(tmp_path, as_json({"error": {"message": f"bad key {KEY}"}}, 401)) as here:
        answer = await here.ask("hello")

        assert answer.status_code == 502
        assert answer.json()["error"]["code"] == "provider_key_rejected"
        assert KEY not in answer.text
        assert len(here.served.requests) == 1


async def test_hanging_up_hangs_up_there_too(tmp_path: Path) -> None:
    """A client that goes away ends the provider's work, streamed and whole."""
    for stream in (True, False):
        async with house(tmp_path / str(stream), Answer((HELLO.pieces[0], Pause()))) as here:
            asking = asyncio.create_task(here.ask("hello", stream=stream))
            await until(lambda here=here: len(here.served.requests) == 1)  # type: ignore[misc]
            asking.cancel()

            async with asyncio.timeout(5):
                await here.served.hung_up.wait()


async def test_a_slow_cloud_is_pending_at_first(tmp_path: Path) -> None:
    """After five silent seconds the stream opens with heartbeats, and what left is told by the record."""
    async with house(tmp_path, Answer((Pause(6.0), *HELLO.pieces))) as here:
        began = time.monotonic()
        body = {"model": "cloud", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
        async with here.client.stream("POST", CHAT, json=body) as answer:
            assert 4 < time.monotonic() - began < 5.9
            assert answer.headers["x-nearloop-egress"] == "pending"
            lines = [line async for line in answer.aiter_lines()]

        assert lines[0].startswith(": ")
        assert lines[-2] == "data: [DONE]" or "data: [DONE]" in lines
        assert (await here.record(answer)).egress == "open"


async def test_hopeless_local_attempts_are_not_made(tmp_path: Path) -> None:
    """Once this machine's speed is known, what it would take too long for goes to the cloud, if it may."""
    async with house(tmp_path, HELLO, patience=2.0) as here:
        await here.ask("[[tokens=30]] [[delay=20]] " + "word " * 20, model="local")
        answer = await here.ask("Refactor this. " + "word " * 5000, model="auto")
        kept = await here.client.post(
            CHAT,
            json={"model": "auto", "max_tokens": 3, "messages": [{"role": "user", "content": "word " * 5000}]},
            headers={"x-nearloop-reach": "device"},
        )

        record = await here.record(answer)
        assert record.decision.rule == "auto-skip-local"
        assert [attempt.provider for attempt in record.attempts] == ["work"]
        assert (await here.record(kept)).decision.rule == "auto-private"
        assert len(here.served.requests) == 1


async def test_a_name_of_a_model_is_looked_at(tmp_path: Path) -> None:
    """An address in place of a model's name keeps the request here, and is written down nowhere."""
    async with house(tmp_path, HELLO) as here:
        answer = await here.ask("hi", model="work/ada@lovelace.dev")

        assert answer.status_code == 403, answer.text
        assert "lovelace" not in answer.text
        assert not here.served.requests


async def test_a_secret_among_a_tool_s_choices(tmp_path: Path) -> None:
    """A call of the tool could carry it out, and one with its alias can't be run: it is answered here, or refused with the
    reason. A tool that works on files is called with the secret itself.
    """
    secret = "sk-proj-" + "Ab3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d"

    def tool(name: str) -> Any:
        parameters = {"type": "object", "properties": {"key": {"enum": ["none", secret]}}, "required": ["key"]}
        return [{"type": "function", "function": {"name": name, "parameters": parameters}}]

    class Choosing(Upstream):
        """Calls the tool with the last choice that it was offered."""

        def choose(self, request: Received) -> Answer:
            function = request.json["tools"][0]["function"]
            call = {
                "name": function["name"],
                "arguments": json.dumps({"key": function["parameters"]["properties"]["key"]["enum"][-1]}),
            }
            message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": call}]}
            return as_json({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})

    async with house_of(Choosing(), tmp_path) as here:
        refused = await here.ask("go", tools=tool("deploy"))
        local = await here.ask("go", tools=tool("deploy"), model="auto")
        to_files = await here.ask("go", tools=tool("write_file"))

        assert refused.status_code == 403, refused.text
        assert "OPENAI_KEY" in refused.text or "secret" in refused.text.lower()
        assert secret not in refused.text
        why = (await here.record(refused)).clearance.why
        assert why == ("not-maskable",)
        assert local.status_code == 200, local.text
        assert (await here.record(local)).egress == "none"
        (call,) = to_files.json()["choices"][0]["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"key": secret}
        assert secret.encode() not in here.served.bytes
        assert len(here.served.requests) == 1

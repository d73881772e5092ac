"""A daemon with a model, a server beside it that turns second keys, and a cloud: who answers a call, and what the record says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import pytest_asyncio

from daemon.cli.why import explain
from daemon.wire import Record
from tests.fakes.running import SCRIPTED, RunningDaemon
from tests.fakes.upstream import Answer, Upstream, as_json, upstream

pytestmark = pytest.mark.slow

SETTINGS: Final = """
[policy]
privacy = "open"
escalate_below = 0.0
[tools]
without_second_key = "refuse"
[tools.effects]
"look*" = "execute"
"peek" = "read"
[providers.work]
base_url = "{cloud}"
models = ["big"]
key = "env:NEARLOOP_TEST_KEY"
[providers.near]
base_url = "{near}"
models = ["small"]
key = "none"
place = "device"
"""


def tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


def calling(name: str, arguments: str) -> Answer:
    made = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [made]}
    return as_json({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]})


class House:
    def __init__(self, daemon: RunningDaemon, client: httpx.AsyncClient, cloud: Upstream, near: Upstream) -> None:
        self.daemon = daemon
        self.client = client
        self.cloud = cloud
        self.near = near

    async def ask(self, name: str, near: Answer, cloud: Answer, token: bool = True) -> httpx.Response:
        """The model here writes a call of `name` with `{"at": 1}`."""
        self.near.answers[:], self.cloud.answers[:] = [near], [cloud]
        said = f'<tool_call>{{"name": "{name}", "arguments": {{"at": 1}}}}</tool_call>'
        body = {"model": "auto", "messages": [{"role": "user", "content": said}], "tools": [tool(name)]}
        return await self.client.post("/v1/chat/completions", json=body, headers={} if token else {"authorization": ""})

    def record(self, answer: httpx.Response) -> Record:
        with self.daemon.client() as control:
            return control.record(answer.headers["x-nearloop-record"]).record


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with upstream() as cloud, upstream() as near:
        settings = SCRIPTED.format(options="") + SETTINGS.format(cloud=cloud.url, near=near.url)
        home: Path = tmp_path_factory.mktemp("home")
        daemon = await asyncio.to_thread(RunningDaemon, home, settings, {"NEARLOOP_TEST_KEY": "sk-live"})
        try:
            await asyncio.to_thread(daemon.wait_ready)
            with daemon.client() as control:
                token = (await asyncio.to_thread(control.add_client, "tests", None)).token
            headers = {"authorization": f"Bearer {token}"}
            async with httpx.AsyncClient(base_url=daemon.url, headers=headers, trust_env=False, timeout=30) as client:
                yield House(daemon, client, cloud, near)
        finally:
            await asyncio.to_thread(daemon.stop)


def called(answer: httpx.Response) -> tuple[str, Any]:
    made = answer.json()["choices"][0]["message"]["tool_calls"][0]["function"]
    return made["name"], json.loads(made["arguments"])


@pytest.mark.asyncio(loop_scope="module")
async def test_an_agreed_call_is_answered_here(house: House) -> None:
    """Both keys stand in the record, and nothing left."""
    answer = await house.ask("look", calling("look", '{ "at": 1.0 }'), calling("look", '{"at": 9}'))

    assert called(answer) == ("look", {"at": 1})
    assert (answer.json()["model"], answer.headers["x-nearloop-egress"]) == ("local/play", "none")
    record = house.record(answer)
    assert [(each.model, each.role, each.side) for each in record.attempts] == [
        ("play", None, "A"),
        ("small", "key", "A"),
    ]
    assert (record.attempts[0].effect, record.attempts[0].keys, record.attempts[0].passed) == ("execute", "two", True)
    told = "\n".join(explain(record))
    assert "its call runs programs, and needs a second answer that calls the same" in told
    assert "asked as the second key of a call" in told


@pytest.mark.asyncio(loop_scope="module")
async def test_without_agreement_the_cloud_s_answer_is_the_answer(house: House) -> None:
    """Though the draft was sure enough."""
    answer = await house.ask("look", calling("look", '{"at": 2}'), calling("look", '{"at": 9}'))

    assert called(answer) == ("look", {"at": 9})
    assert answer.json()["model"] == "work/big"
    told = "\n".join(explain(house.record(answer)))
    assert "A second answer did not call the same" in told


@pytest.mark.asyncio(loop_scope="module")
async def test_where_nobody_else_may_answer_the_call_is_held(house: House) -> None:
    """Without a token the cloud is not asked, and the user wants two keys; what only reads goes out."""
    held = await house.ask("look", calling("look", '{"at": 2}'), calling("look", "{}"), token=False)
    reads = await house.ask("peek", calling("peek", '{"at": 2}'), calling("peek", "{}"), token=False)

    assert held.status_code == 403, held.text
    assert "no_second_key" in held.text
    assert called(reads) == ("peek", {"at": 1})

"""What a client may take a day, held by a real daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.house import KEY, House, house
from tests.fakes.running import RunningDaemon
from tests.fakes.upstream import HELLO, Upstream

pytestmark = pytest.mark.slow

ASK = [{"role": "user", "content": "hello"}]
PROTOCOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/chat/completions", {"model": "cloud", "messages": ASK}),
    ("/v1/chat/completions", {"model": "cloud", "messages": ASK, "stream": True}),
    ("/v1/responses", {"model": "cloud", "input": "hello"}),
    ("/v1/messages", {"model": "cloud", "messages": ASK, "max_tokens": 50}),
    ("/api/chat", {"model": "cloud", "messages": ASK}),
)


async def posted(here: House[Upstream], path: str, body: dict[str, Any]) -> httpx.Response:
    return await here.client.post(path, json=body)


async def test_requests_are_refused_in_the_clients_protocol(tmp_path: Path) -> None:
    """In each of them with status 429, until when, and what to do; official clients don't try again. Who has no token, or
    another one, is answered, and a restart forgets nothing.
    """
    async with house(tmp_path, HELLO) as here:
        assert "as much as it likes" in await here.nearloop("client", "limit", "tests")
        assert "2 requests" in await here.nearloop("client", "limit", "tests", "--requests", "2")
        assert [(await here.ask("hello")).status_code for _ in range(3)] == [200, 200, 429]
        for path, body in PROTOCOLS:
            refused = await posted(here, path, body)
            assert refused.status_code == 429, path
            error = refused.json()["error"]
            words = error if isinstance(error, str) else error["message"]
            assert "the client tests has asked 2 times today" in words, path
            assert "nearloop client limit tests --requests" in words, path
            assert 0 < int(refused.headers["retry-after"]) <= 25 * 3600
            assert refused.headers["x-should-retry"] == "false"
        assert len(here.served.requests) == 2
        refused = await here.ask("hello")
        record = await here.record(refused)
        assert (record.outcome, record.error, record.attempts) == ("refused", "DailyLimit", ())
        assert "tests: infer:local, infer:cloud; today 2 of 2 requests, 18 tokens" in await here.nearloop(
            "client", "list"
        )
        other = (await asyncio.to_thread(here.control.add_client, "other", None)).token
        for headers in ({"authorization": "Bearer none"}, {"authorization": f"Bearer {other}"}):
            body = {"model": "local", "messages": ASK}
            assert (await here.client.post(PROTOCOLS[0][0], json=body, headers=headers)).status_code == 200

        await asyncio.to_thread(here.daemon.stop)
        settings = (here.daemon.home / "config" / "settings.toml").read_text()
        again = await asyncio.to_thread(RunningDaemon, here.daemon.home, settings, {"NEARLOOP_TEST_KEY": KEY})
        try:
            headers = {"authorization": here.client.headers["authorization"]}
            async with httpx.AsyncClient(base_url=again.url, headers=headers, trust_env=False, timeout=60) as client:
                refused = await client.post(*PROTOCOLS[0][:1], json=PROTOCOLS[0][1])
                assert (refused.status_code, refused.json()["error"]["code"]) == (429, "daily_limit")
                await here.nearloop("client", "limit", "tests", "--requests", "none")
                assert (await client.post(PROTOCOLS[0][0], json=PROTOCOLS[0][1])).status_code == 200
        finally:
            await asyncio.to_thread(again.stop)


async def test_money_and_tokens(tmp_path: Path) -> None:
    """What is left tells the provider how long its answer may be; when it is spent, the cloud is refused, and this machine
    answers yet. Tokens are of all models.
    """
    async with house(tmp_path, HELLO, model="gpt-5") as here:
        said = await here.nearloop("client", "limit", "tests", "--cost", "0.0002")
        assert "may take a day: $0.0002" in said
        answers = [await here.ask("hello", max_tokens=4000) for _ in range(3)]
        assert [each.status_code for each in answers] == [200, 200, 429]
        limit = here.served.requests[0].json
        assert 16 <= (limit.get("max_completion_tokens") or limit["max_tokens"]) < 25
        assert (await here.record(answers[2])).ledger.spent == ("day_cost_usd",)
        told = answers[2].json()["error"]["message"]
        assert "has spent $0.0001 of the $0.0002" in told
        assert (await here.ask("hello", model="local")).status_code == 200

        await here.nearloop("client", "limit", "tests", "--cost", "none", "--tokens", "10")
        refused = await here.ask("hello", model="local")
        assert (refused.status_code, "of the 10 tokens" in refused.text) == (429, True)
        bad = await here.nearloop("client", "limit", "tests", "--tokens", "0", check=2)
        assert "a whole number above 0, or none" in bad
        assert "no client nobody" in await here.nearloop("client", "limit", "nobody", check=1)

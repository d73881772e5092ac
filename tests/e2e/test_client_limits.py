"""What a client may take a day, held by a real daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from daemon.cli.main import cli, exit_status
from daemon.errors import NearloopError
from daemon.wire import PerDay
from tests.fakes.house import KEY, House, house
from tests.fakes.running import RunningDaemon
from tests.fakes.upstream import HELLO, Upstream

pytestmark = pytest.mark.slow

CHAT = "/v1/chat/completions"
ASK = [{"role": "user", "content": "hello"}]
HERE: dict[str, Any] = {"model": "local", "messages": ASK}
PROTOCOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    (CHAT, {"model": "cloud", "messages": ASK}),
    (CHAT, {"model": "cloud", "messages": ASK, "stream": True}),
    ("/v1/responses", {"model": "cloud", "input": "hello"}),
    ("/v1/messages", {"model": "cloud", "messages": ASK, "max_tokens": 50}),
    ("/api/chat", {"model": "cloud", "messages": ASK}),
)


async def said(here: House[Upstream], *words: str, check: int = 0) -> str:
    """What `nearloop client …` says with this daemon's files."""
    environment = {"NEARLOOP_HOME": str(here.daemon.home)}
    done = await asyncio.to_thread(CliRunner().invoke, cli, ["client", *words], env=environment)
    status, told = done.exit_code, done.output
    if isinstance(done.exception, NearloopError):
        status, told = exit_status(done.exception), f"{told}{done.exception}\n"
    assert status == check, told
    return told


async def test_requests_are_refused_in_the_clients_protocol(tmp_path: Path) -> None:
    """In each of them with status 429, until when, and what to do; official clients don't try again. Who has no token, or
    another one, is answered.
    """
    async with house(tmp_path, HELLO) as here:
        assert "as much as it likes" in await said(here, "limit", "tests")
        assert "2 requests" in await said(here, "limit", "tests", "--requests", "2")
        answers = [await here.ask("hello") for _ in range(3)]
        assert [each.status_code for each in answers] == [200, 200, 429]
        for path, body in PROTOCOLS:
            refused = await here.client.post(path, json=body)
            assert refused.status_code == 429, path
            error = refused.json()["error"]
            words = error if isinstance(error, str) else error["message"]
            assert "the client tests has asked 2 times today" in words, path
            assert "nearloop client limit tests --requests" in words, path
            assert 0 < int(refused.headers["retry-after"]) <= 25 * 3600
            assert refused.headers["x-should-retry"] == "false"
        assert len(here.served.requests) == 2
        record = await here.record(answers[2])
        assert (record.outcome, record.error, record.attempts) == ("refused", "DailyLimit", ())
        listed = await said(here, "list")
        assert "tests: infer:local, infer:cloud; today 2 of 2 requests, 18 tokens, $0.0000" in listed
        other = (await asyncio.to_thread(here.control.add_client, "other", None)).token
        for token in ("none", other):
            headers = {"authorization": f"Bearer {token}"}
            assert (await here.client.post(CHAT, json=HERE, headers=headers)).status_code == 200


async def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    """The records say what was taken; a limit that is taken away counts at once."""
    async with house(tmp_path, HELLO) as here:
        await asyncio.to_thread(here.control.limit_client, "tests", PerDay(1))
        assert (await here.ask("hello")).status_code == 200
        await asyncio.to_thread(here.daemon.stop)
        settings = (here.daemon.home / "config" / "settings.toml").read_text()
        again = await asyncio.to_thread(RunningDaemon, here.daemon.home, settings, {"NEARLOOP_TEST_KEY": KEY})
        try:
            headers = {"authorization": here.client.headers["authorization"]}
            async with httpx.AsyncClient(base_url=again.url, headers=headers, trust_env=False, timeout=60) as client:
                refused = await client.post(CHAT, json=HERE)
                assert (refused.status_code, refused.json()["error"]["code"]) == (429, "daily_limit")
                assert "as much as it likes" in await said(here, "limit", "tests", "--requests", "none")
                assert (await client.post(CHAT, json=HERE)).status_code == 200
        finally:
            await asyncio.to_thread(again.stop)


async def test_money_and_tokens(tmp_path: Path) -> None:
    """What is left tells the provider how long its answer may be; when it is spent, the cloud is refused, and this machine
    answers yet. Tokens are of all models.
    """
    async with house(tmp_path, HELLO, model="gpt-5") as here:
        assert "may take a day: $0.0002" in await said(here, "limit", "tests", "--cost", "0.0002")
        answers = [await here.ask("hello", max_tokens=4000) for _ in range(3)]
        assert [each.status_code for each in answers] == [200, 200, 429]
        limit = here.served.requests[0].json
        assert 16 <= (limit.get("max_completion_tokens") or limit["max_tokens"]) < 25
        assert (await here.record(answers[2])).ledger.spent == ("day_cost_usd",)
        assert "has spent $0.0001 of the $0.0002" in answers[2].json()["error"]["message"]
        assert (await here.client.post(CHAT, json=HERE)).status_code == 200

        await said(here, "limit", "tests", "--cost", "none", "--tokens", "10")
        refused = await here.client.post(CHAT, json=HERE)
        assert (refused.status_code, "of the 10 tokens" in refused.text) == (429, True)
        assert "a whole number above 0, or none" in await said(here, "limit", "tests", "--tokens", "0", check=2)
        for silly in ("9" * 16, "9" * 400, "1e3", "nan"):
            assert "a whole number above 0, or none" in await said(here, "limit", "tests", "--requests", silly, check=2)
        assert "a number above 0, or none" in await said(here, "limit", "tests", "--cost", "1e300", check=2)
        assert "no client nobody" in await said(here, "limit", "nobody", check=1)

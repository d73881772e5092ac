"""What may be spent in clouds, held by a real daemon against a provider's server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.fakes.house import KEY, house
from tests.fakes.running import RunningDaemon
from tests.fakes.upstream import HELLO

pytestmark = pytest.mark.slow

LIMIT = "[spending]\nday_usd = {usd}\n"
COST = (7 * 1.25 + 2 * 10) / 1e6
"""Of HELLO at gpt-5: 7 tokens read, 2 written."""


async def test_beyond_a_limit_this_machine_answers(tmp_path: Path) -> None:
    """What is left tells the provider how long its answer may be; when it is spent, the local model answers by whatever name
    the cloud was asked, and the record says why.
    """
    async with house(tmp_path, HELLO, model="gpt-5", extra=LIMIT.format(usd=0.0002)) as here:
        answers = [await here.ask("hello", max_tokens=4000) for _ in range(3)]
        assert [each.status_code for each in answers] == [200, 200, 200]
        limit = here.served.requests[0].json
        assert 16 <= (limit.get("max_completion_tokens") or limit["max_tokens"]) < 25
        assert len(here.served.requests) == 2
        first, _, second = [await here.record(each) for each in answers]
        assert first.attempts[0].cost_usd == COST
        assert (second.decision.rule, second.decision.over_limit) == ("model-budget", ("work/gpt-5",))
        assert [each.provider for each in second.attempts] == ["local"]
        assert second.saved.against == "work/gpt-5"
        auto = await here.record(await here.ask("hello", model="auto"))
        assert auto.decision.rule == "auto-budget"
        assert "spent" in await here.nearloop("why", answers[2].headers["x-nearloop-record"])


async def test_fifty_side_by_side_pass_no_limit(tmp_path: Path) -> None:
    """Of fifty requests at once, as many go to the cloud as the limit pays for; all are answered, and what was spent is what
    the provider counted.
    """
    usd = 0.0015
    async with house(tmp_path, HELLO, model="gpt-5", extra=LIMIT.format(usd=usd)) as here:
        answers = await asyncio.gather(*(here.ask("hello", max_tokens=20) for _ in range(50)))
        assert {each.status_code for each in answers} == {200}
        asked = len(here.served.requests)
        records = [await here.record(each) for each in answers]
        spent = sum(each.ledger.cost_usd for each in records)
        assert 0 < asked < 50
        assert spent == pytest.approx(asked * COST, abs=1e-12)
        assert spent <= usd


async def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    """Nor does it when the records are deleted meanwhile."""
    async with house(tmp_path, HELLO, model="gpt-5", extra=LIMIT.format(usd=0.0002)) as here:
        assert (await here.ask("hello", max_tokens=20)).status_code == 200
        await asyncio.to_thread(here.control.purge, "0s")
        await asyncio.to_thread(here.daemon.stop)
        settings = (here.daemon.home / "config" / "settings.toml").read_text()
        again = await asyncio.to_thread(RunningDaemon, here.daemon.home, settings, {"NEARLOOP_TEST_KEY": KEY})
        try:
            headers = {"authorization": here.client.headers["authorization"]}
            async with httpx.AsyncClient(base_url=again.url, headers=headers, trust_env=False, timeout=60) as client:
                body = {"model": "cloud", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 4000}
                assert (await client.post("/v1/chat/completions", json=body)).status_code == 200
            sent = here.served.requests[1].json
            assert (sent.get("max_completion_tokens") or sent["max_tokens"]) < 20
        finally:
            await asyncio.to_thread(again.stop)


async def test_a_price_that_nobody_knows(tmp_path: Path) -> None:
    """Under a limit it is not asked, unless its row allows that; a plan is asked and costs nothing."""
    async with house(tmp_path / "a", HELLO, extra=LIMIT.format(usd=5.0)) as here:
        record = await here.record(await here.ask("hello"))
        assert (record.decision.rule, here.served.requests) == ("model-budget", [])
    prices = '[prices."work/big"]\nread = 2.0\nwritten = 10.0\n'
    async with house(tmp_path / "b", HELLO, extra=LIMIT.format(usd=5.0) + prices) as here:
        record = await here.record(await here.ask("hello"))
        assert (record.attempts[0].priced_by, record.attempts[0].cost_usd) == ("settings", 34e-6)


async def test_the_command_line(tmp_path: Path) -> None:
    """Limits are said and shown, and what was spent is told, with what an answer from here saved."""
    async with house(tmp_path, HELLO, model="gpt-5") as here:
        assert "nothing limits" in await here.nearloop("limit")
        assert "$0.0000 of $5 a day" in await here.nearloop("limit", "--provider", "work", "--day", "5")
        assert "of $50 a month" in await here.nearloop(
            "limit", "--provider", "work", "--month", "50", "--warn-at", "0.5"
        )
        await here.ask("hello")
        await here.ask("hello", model="local")
        told = await here.nearloop("spend", "--by", "model")
        assert f"work/gpt-5: ${COST:.6f} for 1 call" in told
        assert "Answered here: 1" in told and "An estimate of what that saved" in told
        assert "of $5 a day" in told
        assert "nothing limits" in await here.nearloop(
            "limit", "--provider", "work", "--day", "none", "--month", "none"
        )
        assert "USD from 0 on" in await here.nearloop("limit", "--day", "-1", check=2)

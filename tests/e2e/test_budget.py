"""One request's budget, held by a real daemon against a provider's server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.house import house
from tests.fakes.upstream import HELLO, Answer, Pause, as_json, frames, said

pytestmark = pytest.mark.slow

BUSY = as_json({"error": {"message": "busy"}}, 503, retry_after="0")


async def test_repetitions_count(tmp_path: Path) -> None:
    """Of two calls that it may make, a busy provider gets two, and the client is told what is spent."""
    async with house(tmp_path, BUSY, extra="[budget]\ncalls = 2\n") as here:
        answer = await here.ask("hello")

        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "budget_spent")
        assert len(here.served.requests) == 2
        record = await here.record(answer)
        assert (record.ledger.calls, record.ledger.spent) == (2, ("calls",))


async def test_time_cuts_an_answer(tmp_path: Path) -> None:
    """What was said until the time was over is the answer, marked as cut; a provider that says nothing is an error."""
    cut = Answer((*frames(said("Hel"), said("lo"), done=False), Pause()))
    async with house(tmp_path, cut, Answer((Pause(),)), extra="[budget]\nwall_s = 3.0\n") as here:
        answer = await here.ask("hello")
        silent = await here.ask("hello")

        choice = answer.json()["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("Hello", "length")
        record = await here.record(answer)
        assert (record.outcome, record.ledger.spent, record.attempts[0].error) == (
            "answered",
            ("wall_s",),
            "BudgetSpent",
        )
        assert silent.json()["error"]["code"] == "budget_spent"


async def test_money_is_counted_and_limits(tmp_path: Path) -> None:
    """A listed price is in the ledger, and tells the provider how long its answer may be."""
    async with house(tmp_path, HELLO, model="gpt-5", extra="[budget]\ncost_usd = 0.001\n") as here:
        answer = await here.ask("hello", max_tokens=4000)

        record = await here.record(answer)
        assert record.ledger.cost_usd == (7 * 1.25 + 2 * 10) / 1e6
        assert record.attempts[0].cost_usd == record.ledger.cost_usd
        limit = here.served.requests[0].json
        assert 80 < (limit.get("max_completion_tokens") or limit["max_tokens"]) < 100


async def test_a_price_that_nobody_knows(tmp_path: Path) -> None:
    """Under a limit of money nothing is sent to whoever might cost anything."""
    async with house(tmp_path, HELLO, extra="[budget]\ncost_usd = 0.001\n") as here:
        answer = await here.ask("hello")

        assert answer.json()["error"]["code"] == "budget_spent"
        assert here.served.requests == []

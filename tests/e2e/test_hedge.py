"""A call beside a draft, by a real daemon: what leaves, what is told of it, and that the loser ends."""

from __future__ import annotations

import asyncio
import json
from itertools import islice
from pathlib import Path

import pytest

from daemon.cli.why import explain
from edge_models.engines.scripted import logprob_of
from tests.fakes.house import house
from tests.fakes.upstream import Answer, Pause, frames, said

pytestmark = pytest.mark.slow

CLOUD = Answer(frames(said("from"), said(" afar")))
SILENT = Answer((*frames(said(""), done=False), Pause()))


def words(least: float, most: float, count: int) -> str:
    """So many words to which the scripted engine gives log-probabilities in these bounds."""
    every = (f"w{number}" for number in range(10_000))
    return " ".join(islice((word for word in every if least <= logprob_of(b" " + word.encode()) <= most), count))


COMES_ROUND = f"[[delay=20]]{words(-1.2, -0.9, 5)} {words(-0.1, 0.0, 50)}"
"""A draft that does not look sure enough at first, and is in the end."""


STAYS_POOR = f"[[delay=20]]{words(-1.2, -0.9, 50)}"


async def test_the_cloud_is_asked_beside_an_unsure_draft(tmp_path: Path) -> None:
    """Its words are the answer to a draft that stays poor; one that comes round is the answer itself, the provider sees its
    client go, and the ledger has a line for what was not needed.
    """
    async with house(tmp_path, CLOUD, SILENT, policy="hedge = true\nescalate_below = 0.6") as here:
        answer = await here.ask(STAYS_POOR, "auto")

        assert answer.json()["choices"][0]["message"]["content"] == "from afar"
        record = await here.record(answer)
        assert [(each.provider, each.role) for each in record.attempts] == [("local", None), ("work", "hedge")]
        assert (record.ledger.hedges, len(record.receipts)) == (0, 1)
        draft, hedge = record.attempts
        assert 0 <= draft.began_ms < hedge.began_ms < record.took_ms
        assert 4 <= draft.curve_tokens == len(draft.curve)
        assert draft.mean_logprob >= draft.min_logprob >= min(draft.curve)
        assert [look.tokens for look in draft.looks][:2] == [4, 8]
        assert {look.threshold for look in draft.looks} == {0.6}
        assert draft.looks[0].verdict == "amber"
        assert draft.looks[-1].verdict in ("failed", "hopeless")
        assert hedge.curve == hedge.looks == ()

        answer = await here.ask(COMES_ROUND, "auto")

        assert answer.json()["model"] == "local/play"
        async with asyncio.timeout(10):
            await here.served.hung_up.wait()
        record = await here.record(answer)
        assert (record.egress, record.ledger.hedges, len(record.receipts)) == ("open", 1, 1)
        last = record.attempts[0].looks[-1]
        assert (last.verdict, last.score) == ("passed", record.attempts[0].confidence)
        assert any("not needed in the end: 1 beside a draft" in line for line in explain(record))


async def test_headers_and_frames_tell_of_whoever_answers(tmp_path: Path) -> None:
    """The answer of a provider that was asked beside a draft is its own from the first word on, and unjudged; what it would
    have left aside is no word on the draft that answers in its stead.
    """
    policy = "hedge = true\nescalate_below = 0.6"
    async with house(tmp_path, CLOUD, SILENT, policy=policy) as here:
        answer = await here.ask(STAYS_POOR, "auto", stream=True)

        told = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
        assert {frame["model"] for frame in told} == {"work/big"}
        assert "x-nearloop-confidence" not in answer.headers

        body = {"messages": [{"role": "user", "content": COMES_ROUND}], "stream": False, "keep_alive": "5m"}
        answer = await here.client.post("/api/chat", json={"model": "auto", **body})

        assert "x-nearloop-confidence" in answer.headers
        assert "x-nearloop-ignored" not in answer.headers

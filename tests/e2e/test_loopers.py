"""Loopers of several models, through a real daemon: who is asked, what leaves, what is told and written down."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from daemon.cli.why import explain
from tests.fakes.several import Several, content, several
from tests.fakes.upstream import Answer, Pause

RATINGS: Final = """
MODEL local {}
MODEL "work/a" {}
MODEL "work/b" {}
MODEL "work/c" {}
ROUTE panel { MODEL "work/a", "work/b", "work/c" ALGORITHM ratings {} }
"""
MIXED: Final = RATINGS.replace('MODEL "work/a", "work/b", "work/c"', 'MODEL "local", "work/b"')
EMAIL: Final = "ada.byron@analytical-engines.net"


def capitals(model: str, asked: str, body: dict[str, Any]) -> str:
    return "Lyon" if model == "a" else "Paris"


def silent(model: str, asked: str, body: dict[str, Any]) -> Answer:
    return Answer((Pause(),))


async def until(condition: Any) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def test_dissent_is_seen(tmp_path: Path) -> None:
    """The majority's answer comes, and the header, upstream's headers, the record and `why` show who said otherwise."""
    async with several(tmp_path, RATINGS, capitals) as here:
        answer = await here.ask("Capital of France?")
        record = await here.record(answer)

        assert content(answer) == "Paris"
        assert answer.headers["x-nearloop-dissent"] == "1/3"
        assert answer.headers["x-vsr-looper-algorithm"] == "ratings"
        assert answer.headers["x-vsr-looper-models-used"] == "work/a,work/b,work/c"
        assert answer.headers["x-vsr-looper-total-tokens"] == "27"
        assert answer.json()["usage"] == {**answer.json()["usage"], "prompt_tokens": 21, "completion_tokens": 6}
        assert [(each.model, each.role, each.side) for each in record.attempts] == [
            ("a", "panel", "B"),
            ("b", "panel", "A"),
            ("c", "panel", "A"),
        ]
        assert len(record.receipts) == record.ledger.calls == 3
        told = " ".join(explain(record))
        assert "1 said something else" in told
        assert "side B" in told


async def test_a_client_that_hangs_up_ends_all_calls(tmp_path: Path) -> None:
    """Each of the silent servers sees its connection end, and the record says that the client went."""
    async with several(tmp_path, RATINGS, silent) as here:
        asking = asyncio.create_task(here.ask("Capital of France?"))
        await until(lambda: len(here.models.requests) == 3)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

        await until(lambda: len(here.control.records(None, 1).records) == 1)
        [record] = here.control.records(None, 1).records
        assert record.outcome == "cancelled"
        assert [each.outcome for each in record.attempts] == ["cancelled"] * 3
        await asyncio.wait_for(here.models.hung_up.wait(), 10)


async def streamed(here: Several, text: str, **more: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """The frames of a streamed answer, and the lines that are no frames."""
    body = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": text}], **more}
    lines: list[str] = []
    async with here.http.stream("POST", "/v1/chat/completions", json=body) as answer:
        lines = [line async for line in answer.aiter_lines() if line]
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return [json.loads(each) for each in data[:-1]], [line for line in lines if not line.startswith("data: ")]


async def test_a_stream_begins_once_and_shows_signs_of_life(tmp_path: Path) -> None:
    """While the panel works nothing is said but heartbeats, then one start, one answer, one end."""

    def slow(model: str, asked: str, body: dict[str, Any]) -> Answer:
        whole = capitals(model, asked, body)
        from tests.fakes.several import words

        return Answer((Pause(6.5), *words(whole).pieces))

    async with several(tmp_path, RATINGS, slow) as here:
        chunks, beats = await streamed(here, "Capital of France?")

        assert beats
        assert [each["choices"][0]["delta"].get("role") for each in chunks if each["choices"]].count("assistant") == 1
        said = "".join(each["choices"][0]["delta"].get("content") or "" for each in chunks if each["choices"])
        assert said == "Paris"
        assert [each["choices"][0]["finish_reason"] for each in chunks if each["choices"]].count("stop") == 1


async def test_on_the_device_alone(tmp_path: Path) -> None:
    """A request that has to stay is answered by the local models of the recipe, and nothing is sent."""
    async with several(tmp_path, MIXED, capitals) as here:
        answer = await here.ask("Say one two three", headers={"x-nearloop-reach": "device"})
        record = await here.record(answer)

        assert content(answer) == "Say one two three"
        assert here.models.requests == []
        assert {each.place for each in record.attempts} == {"device"}
        assert record.egress == "none"


async def test_answers_are_looked_at_before_a_judge_sees_them(tmp_path: Path) -> None:
    """A private value that only a local model's answer holds leaves masked in the judge's prompt, as in the question."""
    prose = "A long answer about letters that people write to each other, and how they are sent."

    def speaks(model: str, asked: str, body: dict[str, Any]) -> str:
        return json.dumps({"scores": {"answer 1": 9}}) if "Score each" in asked else prose

    question = f"Please write a long letter to {EMAIL} about the many rivers of France and about their fish."
    async with several(tmp_path, MIXED, speaks) as here:
        answer = await here.ask(question)
        record = await here.record(answer)

        judged = [each for each in here.models.requests if b"Score each" in each.body]
        assert len(judged) == 1
        assert b"rivers of France" in judged[0].body
        assert EMAIL.encode() not in bytes(here.models.bytes)
        assert all(sum(receipt.masks.values()) for receipt in record.receipts)
        assert content(answer) == question  # the local one's, which the judge liked
        assert answer.headers["x-nearloop-egress"] == "masked"

"""Outcomes that come by themselves, and what a conversation begins with after a collapse: a real daemon, a fake cloud."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from daemon.cli.why import explain
from daemon.confidence.calibration import Platt
from daemon.confidence.families import Family
from daemon.confidence.guarantee import Certificate
from daemon.confidence.profile import FORMAT, FamilyProfile, Profile, write_profile
from daemon.confidence.scorer import Scorer
from daemon.confidence.setup import setup_of
from daemon.wire import Taught
from edge_models.catalog import ModelRef
from edge_models.engines.scripted import logprob_of
from tests.fakes.house import CHAT, House, house
from tests.fakes.upstream import USAGE, Answer, Upstream, frames, said

pytestmark = pytest.mark.slow

QUESTION: Final = "Who wrote Hamlet? [[bytes={}]]"


def says(words: str) -> str:
    """A question to which the scripted engine says these words."""
    return QUESTION.format(words.encode().hex())


def cloud(*words: str) -> Answer:
    return Answer(frames(*map(said, words), said("", "stop"), USAGE))


def measured(folder: Path, odds: float, threshold: float | None) -> str:
    """A profile of the scripted engine, which states the same of each short answer; returns the engine's options."""
    options = folder / "parallel=8"
    options.write_bytes(b"a model")
    setup = setup_of(ModelRef("play", "scripted", str(options)))
    certificate = Certificate(threshold, 100, 100, 0, 0.03)
    short: dict[Family, FamilyProfile] = {"short": FamilyProfile(100, 0.9, Platt(1.0, 0.0), 0.0, 0.1, certificate)}
    scorer = Scorer((), {"short": odds}, 0.0)
    profile = Profile(FORMAT, "play", setup, "here", (), scorer, short)
    write_profile(profile, folder / "home" / "data" / "confidence" / f"{setup.key}.json")
    return str(options)


async def taught(here: House[Upstream], id: str) -> tuple[Taught, ...]:
    """What was learned from a record, as soon as something was."""
    async with asyncio.timeout(20):
        while not (found := (await asyncio.to_thread(here.control.record, id)).taught):
            await asyncio.sleep(0.01)
    return found


async def test_an_escalated_draft_is_compared(tmp_path: Path) -> None:
    """With the answer that was given instead, at no further call; `why` tells, and no words are kept."""
    options = measured(tmp_path, odds=1.0, threshold=None)
    answers = (cloud("Shake", "speare."), cloud("Shakespeare"))
    async with house(tmp_path, *answers, options=options, policy="escalate_below = 1.0") as here:
        verdicts = []
        for words in ("Marlowe", "William Shakespeare"):
            answer = await here.ask(says(words), "auto")
            assert answer.json()["choices"][0]["message"]["content"].startswith("Shake")
            [each] = await taught(here, answer.headers["x-nearloop-record"])
            verdicts.append((each.by, each.right, each.family))

        assert verdicts == [("disagreement", False, "short"), ("disagreement", True, "short")]
        assert len(here.served.requests) == 2
        told = await here.nearloop("why", answer.headers["x-nearloop-record"])
        assert "this one was right, since the cloud's answer" in told
    assert b"speare" not in (tmp_path / "home" / "data" / "confidence" / "outcomes.jsonl").read_bytes()


async def test_who_asks_again_did_not_want_the_answer(tmp_path: Path) -> None:
    """The first answer is held wrong, and less is stated of the next; the second is not, by a third time."""
    options = measured(tmp_path, odds=1.0, threshold=None)
    async with house(tmp_path, options=options, policy="escalate_below = 0.0") as here:
        records = [(await here.ask(says("Marlowe"), "auto")).headers["x-nearloop-record"]]
        stated = [(await asyncio.to_thread(here.control.record, records[0])).record.attempts[0].confidence]
        for _ in range(2):
            records.append((await here.ask(says("Marlowe"), "auto")).headers["x-nearloop-record"])
            [each] = await taught(here, records[0])
        assert (each.by, each.right) == ("regenerate", False)
        last = (await asyncio.to_thread(here.control.record, records[2])).record
        stated.append(last.attempts[0].confidence)

        assert stated[0] is not None
        assert stated[1] is not None
        assert stated[1] < stated[0]
        assert (await asyncio.to_thread(here.control.record, records[1])).taught == ()
        assert here.served.requests == []


async def test_after_a_collapse_the_next_turn_begins_higher(tmp_path: Path) -> None:
    """The whole of a streamed answer is far less sure than its beginning: the next turn is the cloud's, or this machine's
    after all if there is none to be had.
    """
    words = sorted((f"w{number}" for number in range(400)), key=lambda word: -logprob_of(f" {word}".encode()))
    answer = " ".join((*words[:80], *words[-200:]))
    async with house(tmp_path, cloud("Higher."), Answer(status=400), policy="escalate_below = 0.5") as here:
        sent = ""

        async def turn(*messages: dict[str, str]) -> Any:
            nonlocal sent
            body = {"model": "auto", "messages": messages, "stream": True}
            streamed = await here.client.post(CHAT, json=body)
            sent = streamed.text
            return await here.record(streamed)

        first = {"role": "user", "content": answer}
        begun = await turn(first)
        [attempt] = begun.attempts
        assert attempt.passed
        assert attempt.collapse == "fell"
        assert "\n\n: x-nearloop-collapse: fell\n\ndata: [DONE]" in sent
        assert attempt.whole < attempt.threshold < attempt.confidence
        assert "so the next turn begins higher up" in " ".join(explain(begun))

        behind = ({"role": "assistant", "content": answer}, {"role": "user", "content": "And then?"})
        higher = await turn(first, *behind)
        assert higher.decision.rule == "auto-after-collapse"
        assert "collapse" not in sent
        assert [(each.provider, each.outcome) for each in higher.attempts] == [("work", "answered")]

        here_after_all = await turn(first, *behind[:1], {"role": "user", "content": "And else?"})
        assert [(each.provider, each.outcome) for each in here_after_all.attempts] == [
            ("work", "failed"),
            ("local", "answered"),
        ]
        assert (await turn({"role": "user", "content": "Something else"})).decision.rule == "auto-confidence"


async def test_some_kept_answers_are_audited(tmp_path: Path) -> None:
    """When they are out, by whom else would have been asked, with a receipt; what has to stay is not. Two that differ take
    the promise back.
    """
    options = measured(tmp_path, odds=3.0, threshold=0.5)
    async with house(tmp_path, cloud("Shakespeare"), options=options, policy="audit_share = 1.0") as here:
        stays = await here.client.post(
            CHAT,
            json={"model": "auto", "messages": [{"role": "user", "content": says("Marlowe")}]},
            headers={"x-nearloop-reach": "device"},
        )
        answers, verdicts = [], []
        for words in ("William Shakespeare", "Bacon", "Jonson"):
            answers.append(await here.ask(says(words), "auto"))
            [each] = await taught(here, answers[-1].headers["x-nearloop-record"])
            verdicts.append((each.by, each.right))
        last = await here.ask(says("Kyd"), "auto")

        assert verdicts == [("audit", True), ("audit", False), ("audit", False)]
        first = answers[0]
        assert first.headers["x-nearloop-egress"] == "none"
        assert first.json()["choices"][0]["message"]["content"] == "William Shakespeare"
        record = await here.record(first)
        assert (record.audit.by, record.audit.same, record.egress) == ("work/big", True, "open")
        assert [attempt.role for attempt in record.attempts] == [None, "audit"]
        assert (record.ledger.calls, len(record.receipts)) == (2, 1)
        assert record.confidence == "0.95"
        told = " ".join(explain(record))
        assert "work/big was asked the same for comparison, and said the same" in told
        standings = [(await here.record(each)).attempts[0].standing for each in (first, last)]
        assert standings == ["certified", "calibrated"]
        assert (await here.record(stays)).audit is None
        assert len(here.served.requests) == 3

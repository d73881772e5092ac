"""What requests say of answers before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.confidence.outcomes import Outcome, Outcomes
from daemon.confidence.profiles import Profiles
from daemon.learning.conversations import Conversations
from daemon.learning.learner import Learner
from daemon.wire import Attempt, Ledger, Record
from providers.contract import Message, Request, Text, ToolCall, ToolResult
from tests.fakes.clock import HeldClock

QUESTION = "Who wrote Hamlet?"
ASKED = Message("user", (Text(QUESTION),))
SAID = Message("assistant", (Text("Marlowe."),))


class House:
    """A learner with its files. rejected: words that it was asked about."""

    def __init__(self, folder: Path, on: bool = True) -> None:
        self.clock = HeldClock()
        self.conversations = Conversations(self.clock)
        self.rejected: list[str] = []
        self.file = folder / "outcomes.jsonl"
        self.learner = Learner(Profiles(folder, folder / "none"), self.conversations, self._rejects, self.clock, on)

    def _rejects(self, words: str) -> bool:
        self.rejected.append(words)
        return words.startswith("No")

    def hear(self, *messages: Message) -> None:
        self.learner.hear(request(*messages), self.conversations.turn(request(*messages)))

    def answered(self, id: str, *messages: Message, answer: str = "Marlowe.", **more: Any) -> None:
        record = more.pop("record", None) or recorded(id, draft())
        turn = self.conversations.turn(request(*messages))
        self.learner.answered(turn, record, answer, QUESTION, **more)

    @asynccontextmanager
    async def learning(self) -> AsyncIterator[None]:
        """Until all that came within was taken in."""
        yield
        task = asyncio.create_task(self.learner.run())
        async with asyncio.timeout(10):
            while self.learner.waiting:
                await asyncio.sleep(0.005)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    def known(self, id: str) -> Outcome | None:
        outcomes = Outcomes(self.file)
        outcomes.read()
        return next(iter(outcomes.of(id)), None)


def request(*messages: Message) -> Request:
    return Request(id="0" * 16, model="auto", protocol="t", messages=messages)


def draft(**more: Any) -> Attempt:
    plain: dict[str, Any] = {"odds": 1.5, "setup": "setup", "family": "short", "passed": True, "outcome": "answered"}
    return Attempt("local", "small", took_ms=1.0, **{**plain, **more})


def recorded(id: str, *attempts: Attempt, outcome: Any = "answered") -> Record:
    return Record(
        id=id,
        at=HeldClock().now(),
        protocol="t",
        client=None,
        project=None,
        session=None,
        model="auto",
        streamed=False,
        outcome=outcome,
        egress="none",
        took_ms=1.0,
        waited_ms=0.0,
        messages=1,
        prompt_chars=1,
        answer_chars=1,
        decision=None,
        attempts=attempts,
        ledger=Ledger(),
    )


async def test_asked_again(tmp_path: Path) -> None:
    """The first answer was not wanted. The second one isn't held wrong by a third time: that is a program."""
    house = House(tmp_path)
    async with house.learning():
        for id in ("1", "2", "3"):
            house.hear(ASKED)
            house.answered(id, ASKED)

    first = house.known("1")
    assert first is not None
    assert (first.via, first.right, first.odds) == ("regenerate", False, 1.5)
    assert house.known("2") is None
    assert house.known("3") is None


async def test_the_next_turn(tmp_path: Path) -> None:
    """Words that reject the answer, and a call that failed, speak against it; anything else says nothing."""
    house = House(tmp_path)
    call = Message("assistant", (ToolCall("c1", "look", "{}"),))
    async with house.learning():
        for id, said, behind in (
            ("1", SAID, Message("user", (Text("No, that's wrong."),))),
            ("2", SAID, Message("user", (Text("And when?"),))),
            ("3", call, Message("tool", (ToolResult("c1", (Text("no such file"),), failed=True),))),
            ("4", call, Message("tool", (ToolResult("c1", (Text("a file"),)),))),
        ):
            asked = Message("user", (Text(id),))
            house.answered(id, asked, answer="Marlowe." if said is SAID else "")
            house.hear(asked, said, behind)

    learned = {id: known.via for id in "1234" if (known := house.known(id)) is not None and not known.right}
    assert learned == {"1": "correction", "3": "tool_error"}
    assert house.rejected == ["No, that's wrong.", "And when?"]


async def test_nothing_is_learned_of_others_answers(tmp_path: Path) -> None:
    """Of a cloud's, of one that nobody calibrated, of one that was cancelled, and if the user doesn't want it."""
    cloud = Attempt("work", "big", "answered", 1.0)
    for number, (record, on) in enumerate(
        (
            (recorded("1", cloud), True),
            (recorded("1", draft(odds=None)), True),
            (recorded("1", draft(), outcome="cancelled"), True),
            (recorded("1", draft()), False),
        )
    ):
        house = House(tmp_path / str(number), on)
        async with house.learning():
            house.answered("1", ASKED, record=record)
            house.hear(ASKED)
        assert house.known("1") is None


@pytest.mark.parametrize(
    ("words", "right"), [("Shakespeare", True), ("Marlowe", False), ("William Marlowe Shakespeare or so", None)]
)
async def test_an_escalated_draft_is_held_against_the_cloud_s_answer(
    tmp_path: Path, words: str, right: bool | None
) -> None:
    """Where the two can be compared."""
    house = House(tmp_path)
    unsure = draft(passed=False)
    async with house.learning():
        record = recorded("1", unsure, Attempt("work", "big", "answered", 1.0))
        answer = "It was written by William Shakespeare."
        house.answered("1", ASKED, record=record, answer=answer, unsure=[(unsure, words)])

    found = house.known("1")
    assert (found.right if found else None) is right
    assert found is None or (found.via, found.kept) == ("disagreement", False)


async def test_a_call_that_nobody_can_run_speaks_against_its_answer(tmp_path: Path) -> None:
    """It failed in mid-answer; the next turn knows of the collapse."""
    house = House(tmp_path)
    async with house.learning():
        record = recorded("1", draft(outcome="failed", collapse="unusable"), outcome="failed")
        house.answered("1", ASKED, record=record, collapsed="local")

    found = house.known("1")
    assert found is not None
    assert (found.via, found.right) == ("tool_error", False)
    assert house.conversations.collapsed(house.conversations.turn(request(ASKED))) == "local"


async def test_words_that_wait_are_forgotten_with_records(tmp_path: Path) -> None:
    """They are not read any more, and conversations are not known."""
    house = House(tmp_path)
    async with house.learning():
        house.answered("1", ASKED)
        house.hear(ASKED, SAID, Message("user", (Text("No."),)))
        house.learner.forget_older(timedelta())
        house.hear(ASKED)

    assert house.rejected == []
    assert house.known("1") is None

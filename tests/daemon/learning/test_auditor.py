"""Answers that are asked for once more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from daemon.boundary.judge import Clearance, Clearances
from daemon.decision.rules import Candidate, Decision
from daemon.learning.auditor import Audited, Auditor, auditor_of
from daemon.loopers.base import Errand
from daemon.records import Store
from daemon.signals.base import Span
from daemon.wire import Attempt, Egress, Ledger, Receipt, Record
from providers.contract import Deltas, Finish, Request, Sampling, TextDelta, Tool, Unreachable, Usage
from tests.daemon.learning.test_learner import ASKED, QUESTION, House, draft, recorded, request

BIG = Candidate("work", "big")
MINE = Candidate("local", "small", "calibrated")
DECISION = Decision("auto-confidence", "confidence", (MINE, BIG))
KEPT = draft(standing="certified")
OPEN = Clearances(Clearance("open"))
ASKS = Clearances(
    Clearance("open"), {"work": Clearance("masked", asks=(Span("messages[0].parts[0]", 0, 1, "PERSON"),))}
)


def record(*attempts: Attempt, **more: Any) -> Record:
    return recorded("1", *attempts, **more)


@pytest.mark.parametrize(
    ("record", "request_", "decision", "clearances", "by"),
    [
        (record(KEPT), request(ASKED), DECISION, OPEN, BIG),
        (record(KEPT), request(ASKED), DECISION, Clearances(Clearance("masked")), BIG),
        (record(KEPT, outcome="cancelled"), request(ASKED), DECISION, OPEN, None),
        (record(draft(standing="calibrated")), request(ASKED), DECISION, OPEN, None),
        (record(draft(standing="certified", passed=False)), request(ASKED), DECISION, OPEN, None),
        (record(draft(standing="certified", family="prose")), request(ASKED), DECISION, OPEN, None),
        (record(KEPT), replace(request(ASKED), reach="device"), DECISION, OPEN, None),
        (record(KEPT), replace(request(ASKED), tools=(Tool("look", "", {}),)), DECISION, OPEN, None),
        (record(KEPT), replace(request(ASKED), sampling=Sampling(choices=2)), DECISION, OPEN, None),
        (record(KEPT), request(ASKED), DECISION, Clearances(Clearance("open"), {"work": Clearance("device")}), None),
        (record(KEPT), request(ASKED), DECISION, ASKS, None),
        (record(KEPT), request(ASKED), replace(DECISION, candidates=(MINE,)), OPEN, None),
        (record(KEPT), request(ASKED), replace(DECISION, candidates=(MINE, Candidate("local", "small"))), OPEN, None),
    ],
    ids=[
        "kept",
        "masked",
        "cancelled",
        "no promise",
        "not kept",
        "prose",
        "kept here by its client",
        "tools",
        "several",
        "may not go there",
        "needs a word",
        "nobody else",
        "this machine again",
    ],
)
def test_who_may_be_asked(
    record: Record, request_: Request, decision: Decision, clearances: Clearances, by: Candidate | None
) -> None:
    """Whoever would have been asked, had the model been unsure; of what was kept on a promise and may leave as it is."""
    assert auditor_of(record, request_, decision, clearances) == by


class Cloud:
    """Says some words, once it may; None: it can't be reached."""

    def __init__(self, words: str | None, may: asyncio.Event | None = None) -> None:
        self._words = words
        self._may = may
        self.asked = 0
        self.receipts: dict[int, Receipt] = {}
        self.egress: Egress = "none"

    async def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        self.asked += 1
        if self._may is not None:
            await self._may.wait()
        if self._words is None:
            raise Unreachable("it is not there")
        self.egress = "masked"
        yield TextDelta(self._words)
        yield Finish("stop", Usage(3, 2))

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return (Attempt("work", "big", "answered", 1.0, prompt_tokens=3, cost_usd=0.5, role="audit"),) * self.asked

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.asked, 3, 2, 0.5)


class Office:
    """An auditor at work, with the files of a house."""

    def __init__(self, folder: Path, share: float = 1.0, per_day: int = 20, draw: float = 0.5) -> None:
        self.house = House(folder)
        self.store = Store(folder / "records.db", self.house.clock)
        self.auditor = Auditor(self.store, self.house.learner, self.house.clock, share, per_day, lambda: draw)

    def take(self, id: str, cloud: Cloud, answer: str = "Shakespeare") -> None:
        record = recorded(id, KEPT)
        self.store.write(record)
        self.auditor.take(Audited(record, None, cloud, lambda: None, BIG, answer, QUESTION))

    @asynccontextmanager
    async def working(self) -> AsyncIterator[Callable[[], Any]]:
        """Gives a wait until all that was taken is done."""

        async def done() -> None:
            async with asyncio.timeout(10):
                while self.auditor.waiting:
                    await asyncio.sleep(0.005)

        task = asyncio.create_task(self.auditor.run())
        try:
            async with self.house.learning():
                yield done
                await done()
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            self.store.close()

    async def audits(self) -> dict[str, Any]:
        return {record.id: record.audit for record in await self.store.list()}


async def test_an_audit_is_in_the_record_and_teaches(tmp_path: Path) -> None:
    """What it cost and who was asked; a cloud that can't be reached teaches nothing."""
    office = Office(tmp_path)
    async with office.working() as done:
        office.take("a", Cloud("William Shakespeare"))
        office.take("b", Cloud("Marlowe"))
        office.take("c", Cloud(None))
        await done()
        found = {record.id: record for record in await office.store.list()}

    assert {id: (each.audit.same, each.audit.error) for id, each in found.items() if each.audit} == {
        "a": (True, None),
        "b": (False, None),
        "c": (None, "Unreachable"),
    }
    first = found["a"]
    assert first.audit is not None
    assert (first.egress, first.audit.cost_usd, first.ledger.calls, first.ledger.cost_usd) == ("masked", 0.5, 1, 0.5)
    learned = {id: known for id in "abc" if (known := office.house.known(id))}
    assert {id: (each.via, each.right, each.kept) for id, each in learned.items()} == {
        "a": ("audit", True, True),
        "b": ("audit", False, True),
    }


async def test_a_day_has_its_number(tmp_path: Path) -> None:
    """Also after a restart, since records are counted; the next day has its own."""
    first = Office(tmp_path, per_day=2)
    async with first.working() as done:
        first.take("a", Cloud("Shakespeare"))
        await done()
    office = Office(tmp_path, per_day=2)
    clouds = [Cloud("Shakespeare") for _ in range(3)]
    async with office.working() as done:
        office.take("b", clouds[0])
        office.take("c", clouds[1])
        await done()
        office.house.clock.advance(86400)
        office.take("d", clouds[2])

    assert [cloud.asked for cloud in clouds] == [1, 0, 1]


async def test_who_can_not_count_asks_nobody(tmp_path: Path) -> None:
    """A file of records that turns out to be damaged is no end of the daemon, whose task this is."""
    office, cloud = Office(tmp_path), Cloud("Shakespeare")
    async with office.working():
        await office.store.flush()
        (tmp_path / "records.db").write_bytes(b"no database " * 1000)
        office.take("a", cloud)

    assert cloud.asked == 0


async def test_what_is_deleted_is_not_asked_or_written(tmp_path: Path) -> None:
    """Neither what waits nor, when it comes back, what is being asked."""
    office, may = Office(tmp_path), asyncio.Event()
    asked, waits = Cloud("Shakespeare", may), Cloud("Shakespeare")
    async with office.working():
        office.take("a", asked)
        office.take("b", waits)
        async with asyncio.timeout(10):
            while not asked.asked:
                await asyncio.sleep(0.005)
        office.auditor.forget_older(timedelta())
        office.house.clock.advance(1)
        await office.store.flush()
        await office.store.purge(timedelta())
        may.set()

    assert waits.asked == 0
    assert office.house.known("a") is None
    office = Office(tmp_path)
    assert await office.audits() == {}
    office.store.close()


@pytest.mark.parametrize(("share", "draw", "picked"), [(0.0, 0.0, False), (0.02, 0.01, True), (0.02, 0.02, False)])
async def test_chance_picks(tmp_path: Path, share: float, draw: float, picked: bool) -> None:
    """A share of nothing is nothing."""
    office = Office(tmp_path, share, draw=draw)

    assert office.auditor.picks() == picked
    office.store.close()

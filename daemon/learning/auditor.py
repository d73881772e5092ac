"""The auditor: asks the cloud what a local model answered on a promise, for a share of such answers, when they are out.

Theory of operation. Whether a promise holds is told by answers that nobody picked for being wrong. So chance picks them,
after the answer, and whoever would have been asked had the model been unsure is asked the same, through the same boundary
and with what is left of the same budget. Nothing goes to anybody who might not have seen the request anyway, and nobody is
asked for leave: what needs the user's word isn't audited. The record gets the attempt, its receipts and a line of its own.
Answers wait in memory, one after the other, and are dropped when records are deleted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import aclosing
from datetime import date, datetime, timedelta
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from daemon import wire
from daemon.boundary.judge import Clearances
from daemon.clock import Clock
from daemon.confidence.families import FAMILIES
from daemon.confidence.outcomes import given_in, outcome_of_attempt
from daemon.decision.rules import LOCAL, Candidate, Decision
from daemon.errors import NearloopError, StoreError
from daemon.learning.comparing import COMPARABLE, same
from daemon.learning.learner import Learner
from daemon.loopers.base import Errand
from daemon.records import Store
from providers.contract import Deltas, ProviderError, Request, Response, Text, ToolCall, fold

WAITING: Final = 8
"""Answers in line; beyond that the oldest are not audited."""
LONGEST_S: Final = 120.0
MOST: Final = 1_000_000
"""Records of a day that are counted."""
_ERRAND: Final = Errand("audit", "audit")


class Calls(Protocol):
    """What `daemon.calls` has of it: a way to ask, and what that took."""

    def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        """Raises ProviderError, NearloopError."""
        ...

    @property
    def attempts(self) -> tuple[wire.Attempt, ...]: ...

    @property
    def ledger(self) -> wire.Ledger: ...

    receipts: dict[int, wire.Receipt]
    egress: wire.Egress


class Audited(Struct, frozen=True):
    """An answer, and how it can be asked for once more. words: of the record, if they are kept. answer, question: texts.

    left: called when something did leave for it.
    """

    record: wire.Record
    words: wire.Content | None
    calls: Calls
    left: Callable[[], None]
    candidate: Candidate
    answer: str
    question: str


def auditor_of(record: wire.Record, request: Request, decision: Decision, clearances: Clearances) -> Candidate | None:
    """Who may be asked what was kept here on a promise; None: it wasn't, can't be compared, or nobody may."""
    given, last = given_in(record), decision.candidates[-1] if decision.candidates else None
    if given is None or record.outcome != "answered" or (given.standing, given.passed) != ("certified", True):
        return None
    if last is None or last.threshold is not None or last.provider == LOCAL or decision.looper != "confidence":
        return None
    if given.family not in COMPARABLE or request.tools or request.reach == "device" or request.sampling.choices != 1:
        return None
    clearance = clearances.of(last.provider)
    return None if clearance.reach == "device" or clearance.asks else last


class Auditor:
    """share: of answers that could be audited. per_day: at most, by UTC. draw: a number in [0, 1), by chance."""

    def __init__(
        self, store: Store, learner: Learner, clock: Clock, share: float, per_day: int, draw: Callable[[], float]
    ) -> None:
        self._store = store
        self._learner = learner
        self._clock = clock
        self._share = share
        self._per_day = per_day
        self._draw = draw
        self._waiting: deque[Audited] = deque(maxlen=WAITING)
        self._more = asyncio.Event()
        self._day: date | None = None
        self._asked = 0
        self._forgotten = False
        self._asking = False

    @property
    def waiting(self) -> bool:
        """Whether something is still to be asked."""
        return self._asking or bool(self._waiting)

    def picks(self) -> bool:
        """Whether chance wants the next answer that could be audited."""
        return self._share > 0 and self._draw() < self._share

    def take(self, audited: Audited) -> None:
        """Have it asked soon."""
        self._waiting.append(audited)
        self._more.set()

    async def run(self) -> None:
        """Ask what comes, one after the other, until cancelled."""
        while True:
            await self._more.wait()
            self._more.clear()
            self._asking = True
            while self._waiting:
                audited, self._forgotten = self._waiting.popleft(), False
                if await self._left_today():
                    self._asked += 1
                    await self._audit(audited)
            self._asking = False

    def forget_older(self, span: timedelta) -> None:
        """Drop what waits, however old it is, and don't write down what is asked now: its record may be gone."""
        self._waiting.clear()
        self._forgotten = True

    async def _left_today(self) -> bool:
        now = self._clock.now()
        if now.date() != self._day:
            midnight = datetime.combine(now.date(), datetime.min.time(), now.tzinfo)
            try:
                today = await self._store.list(midnight, MOST)
            except StoreError:  # who can't count asks nobody
                return False
            self._day, self._asked = now.date(), sum(record.audit is not None for record in today)
        return self._asked < self._per_day

    async def _audit(self, audited: Audited) -> None:
        answered, error = await self._answer(audited)
        if audited.calls.receipts:
            audited.left()
        given = given_in(audited.record)
        assert given is not None
        verdict = _verdict(audited, given, answered) if answered else None
        if self._forgotten:
            return
        by = audited.candidate.name
        audit = wire.Audit(by, verdict, sum(each.cost_usd or 0.0 for each in audited.calls.attempts), error)
        self._store.write(_with(audited.record, audited.calls, audit), audited.words)
        if verdict is not None:
            now = self._clock.now()
            self._learner.learn(outcome_of_attempt(audited.record.id, given, verdict, now, "audit"))

    async def _answer(self, audited: Audited) -> tuple[Response | None, str | None]:
        try:
            async with asyncio.timeout(LONGEST_S), aclosing(audited.calls(audited.candidate, _ERRAND)) as deltas:
                return await fold(deltas), None
        except (ProviderError, NearloopError, TimeoutError) as problem:
            return None, type(problem).__name__


def _verdict(audited: Audited, given: wire.Attempt, answered: Response) -> bool | None:
    choice = answered.choices[0]
    if choice.reason != "stop" or any(isinstance(part, ToolCall) for part in choice.parts):
        return None
    text = "".join(part.text for part in choice.parts if isinstance(part, Text))
    assert given.family in FAMILIES
    return same(audited.answer, text, given.family, audited.question)


def _with(record: wire.Record, calls: Calls, audit: wire.Audit) -> wire.Record:
    """A record with what was asked behind its back."""
    took, before = calls.ledger, record.ledger
    return replace(
        record,
        attempts=record.attempts + calls.attempts,
        receipts=record.receipts + tuple(calls.receipts.values()),
        egress=calls.egress if calls.egress != "none" else record.egress,
        ledger=replace(
            before,
            calls=before.calls + took.calls,
            prompt_tokens=before.prompt_tokens + took.prompt_tokens,
            completion_tokens=before.completion_tokens + took.completion_tokens,
            cost_usd=took.cost_usd,  # both are of one ledger, which has all calls
            unpriced=took.unpriced,
            spent=took.spent,
        ),
        audit=audit,
    )

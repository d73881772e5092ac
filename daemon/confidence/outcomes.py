"""How local answers turned out, as far as somebody said or did: what refines a calibration, and what a promise is held to.

Theory of operation. Not every word on an answer is worth the same. The user's own (`feedback`) is a whole label. A
comparison with the cloud's answer, after an escalation (`disagreement`) or by chance (`audit`), is nearly one: the cloud is
wrong at times, too. What a client does next says less, and it only ever says that an answer was wrong: who is content goes
on in silence. Such labels know nothing of how many answers were right. So together they never count for more than
COMPLAINTS_AT_MOST, however many there are: they nudge what is stated, and cannot talk a good model down.

A promise is about all kept answers. So its watch takes no label that comes about only if the answer was wrong, else it would
break every promise, and none of drafts that were not kept. Feedback and audits are left. Where the cloud is wrong and the
draft was right an audit speaks against the promise, which errs on the safe side.

A file of JSON lines with numbers, labels and ids, and nobody's words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from daemon.confidence.calibration import Platt, platt
from daemon.confidence.drift import Watch
from daemon.confidence.families import FAMILIES, Family
from daemon.wire import Attempt, Record

PRIOR_WEIGHT: Final = 40.0
"""Labels that a calibration's own word counts as, against outcomes here: a handful moves it a little, hundreds decide."""
MOST: Final = 1000
"""Of a family and setup; older ones are forgotten, complaints first."""

Via = Literal["feedback", "audit", "disagreement", "tool_error", "correction", "regenerate"]
WEIGHTS: Final[dict[Via, float]] = {
    "feedback": 1.0,
    "audit": 0.7,
    "disagreement": 0.7,
    "correction": 0.25,
    "regenerate": 0.25,
    "tool_error": 0.1,
}
"""Labels that one of each kind counts as; of two on one answer the weightier stands. They were chosen and not measured: a
label that is wrong in a share e of cases tells (1 - 2e)^2 of what a sure one does, and e was taken to be 8 % where the cloud
is the judge, 25 % where the user turns away, 35 % where a tool failed, as commands do that were rightly called."""
STRONG: Final = frozenset[Via]({"feedback", "audit"})
"""Those that a promise is held to."""
COMPLAINTS: Final = frozenset[Via]({"tool_error", "correction", "regenerate"})
"""Those that only ever say wrong."""
COMPLAINTS_AT_MOST: Final = PRIOR_WEIGHT / 10
"""Labels that all complaints of a family count as together: of 0.88 that was stated they leave 0.7 (test_outcomes.py)."""
_NO_ANSWER: Final = frozenset({"audit", "key", "sample", "verifier"})
"""Roles of attempts of which nothing was given to the client."""


class Outcome(Struct, frozen=True):
    """setup: its key. odds: calibrated log-odds that it was right. kept: whether that was on a promise. via: who says so."""

    at: datetime
    record: str
    setup: str
    family: Family
    odds: float
    right: bool
    kept: bool
    via: Via = "feedback"


def outcome_of(record: Record, right: bool, at: datetime, via: Via = "feedback") -> Outcome | None:
    """How the answer of a record turned out, as far as a calibration had spoken for it; None if none had."""
    given = given_in(record)
    return outcome_of_attempt(record.id, given, right, at, via) if given else None


def given_in(record: Record) -> Attempt | None:
    """Whose answer the client got, where that is known.

    It is the last attempt that answered, unless that was a draft that was not sure enough either: among several such drafts
    nobody knows here which one was taken. An audit comes behind the answer.
    """
    answered = [each for each in record.attempts if each.outcome == "answered" and each.role not in _NO_ANSWER]
    if not answered or (len(answered) > 1 and answered[-1].passed is False):
        return None
    return answered[-1]


def outcome_of_attempt(record: str, attempt: Attempt, right: bool, at: datetime, via: Via) -> Outcome | None:
    """How one draft turned out, given to a client or not; None if no calibration had spoken for it."""
    if attempt.odds is None or not attempt.setup or attempt.family not in FAMILIES:
        return None
    kept = attempt.standing == "certified" and attempt.passed is True
    return Outcome(at, record, attempt.setup, attempt.family, attempt.odds, right, kept, via)


def counts(known: Iterable[Outcome]) -> list[float]:
    """How many labels each outcome counts as among all of its family."""
    plain = [(WEIGHTS[each.via], each.via in COMPLAINTS) for each in known]
    complaints = sum(weight for weight, complains in plain if complains)
    shrunk = min(1.0, COMPLAINTS_AT_MOST / complaints) if complaints else 1.0
    return [weight * shrunk if complains else weight for weight, complains in plain]


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Outcome).decode


class Outcomes:
    """All that is known, by setup and family. Reading and adding touch the disk."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._by: defaultdict[tuple[str, Family], dict[str, Outcome]] = defaultdict(dict)
        self._read = False

    def read(self) -> None:
        """Take in what the file holds, once. A line that was cut off is left out."""
        if self._read:
            return
        self._read = True
        try:
            written = self._file.read_bytes()
        except FileNotFoundError:
            return
        for line in written.split(b"\n"):
            try:
                self._keep(_decode(line))
            except (msgspec.DecodeError, RecursionError):
                continue

    def add(self, outcome: Outcome) -> None:
        """Write down how one answer turned out; of two words on one answer the weightier counts, of two alike the later.

        Raises OSError.
        """
        self.read()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab") as file:
            file.write(b"\n" * (file.tell() > 0) + _encode(outcome))
        self._keep(outcome)

    def count(self, setup: str, family: Family) -> int:
        """How many are known."""
        return len(self._by.get((setup, family), ()))

    def of(self, record: str) -> tuple[Outcome, ...]:
        """What is known of one record's drafts."""
        return tuple(known[record] for known in self._by.values() if record in known)

    def refined(self, setup: str) -> dict[Family, Platt]:
        """By family, what outcomes make of calibrated log-odds; families without any are left out."""
        found = {}
        for (key, family), known in self._by.items():
            if key == setup and known:
                every = list(known.values())
                odds, right = [each.odds for each in every], [each.right for each in every]
                found[family] = platt(odds, right, Platt(1.0, 0.0), PRIOR_WEIGHT, counts(every))
        return found

    def watch(self, setup: str, family: Family, risk: float, delta: float) -> Watch:
        """Over the answers that were kept on a promise, in their order, by labels that are no complaints."""
        watch = Watch(risk, delta)
        for outcome in self._by.get((setup, family), {}).values():
            if outcome.kept and outcome.via in STRONG:
                watch = watch.after(not outcome.right)
        return watch

    def _keep(self, outcome: Outcome) -> None:
        known = self._by[outcome.setup, outcome.family]
        before = known.get(outcome.record)
        if before is not None and WEIGHTS[before.via] > WEIGHTS[outcome.via]:
            return
        known.pop(outcome.record, None)
        known[outcome.record] = outcome
        while len(known) > MOST:
            complaint = next((each.record for each in known.values() if each.via in COMPLAINTS), None)
            del known[complaint or next(iter(known))]

"""How local answers turned out, as far as somebody said: what refines a calibration, and what a promise is held to.

A file of JSON lines with numbers, labels and ids, and nobody's words.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from daemon.confidence.calibration import Platt, platt
from daemon.confidence.drift import Watch
from daemon.confidence.families import FAMILIES, Family
from daemon.wire import Record

PRIOR_WEIGHT: Final = 40.0
"""Labels that a calibration's own word counts as, against outcomes here: a handful moves it a little, hundreds decide."""
MOST: Final = 1000
"""Of a family and setup; older ones are forgotten."""

Via = Literal["feedback"]


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
    """How the answer of a record turned out, as far as a calibration had spoken for it; None if none had.

    What a client got is the last attempt that answered, unless that was a draft that was not sure enough either: among
    several such drafts nobody knows here which one was taken, and nothing is learned.
    """
    answered = [each for each in record.attempts if each.outcome == "answered"]
    if not answered or (len(answered) > 1 and answered[-1].passed is False):
        return None
    given = answered[-1]
    if given.odds is None or not given.setup or given.family not in FAMILIES:
        return None
    kept = given.standing == "certified" and given.passed is True
    return Outcome(at, record.id, given.setup, given.family, given.odds, right, kept, via)


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
            except msgspec.DecodeError:
                continue

    def add(self, outcome: Outcome) -> None:
        """Write down how one answer turned out; of two words on one answer, the later counts. Raises OSError."""
        self.read()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab") as file:
            file.write(b"\n" * (file.tell() > 0) + _encode(outcome))
        self._keep(outcome)

    def count(self, setup: str, family: Family) -> int:
        """How many are known."""
        return len(self._by.get((setup, family), ()))

    def refined(self, setup: str) -> dict[Family, Platt]:
        """By family, what outcomes make of calibrated log-odds; families without any are left out."""
        found = {}
        for (key, family), known in self._by.items():
            if key == setup and known:
                odds, right = [each.odds for each in known.values()], [each.right for each in known.values()]
                found[family] = platt(odds, right, towards=Platt(1.0, 0.0), weight=PRIOR_WEIGHT)
        return found

    def watch(self, setup: str, family: Family, risk: float, delta: float) -> Watch:
        """Over the answers that were kept on a promise, in their order."""
        watch = Watch(risk, delta)
        for outcome in self._by.get((setup, family), {}).values():
            if outcome.kept:
                watch = watch.after(not outcome.right)
        return watch

    def _keep(self, outcome: Outcome) -> None:
        known = self._by[outcome.setup, outcome.family]
        known.pop(outcome.record, None)
        known[outcome.record] = outcome
        while len(known) > MOST:
            del known[next(iter(known))]

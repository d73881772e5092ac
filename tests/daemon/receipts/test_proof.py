"""What is proven: nothing left, something did, or the evidence doesn't reach."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from daemon.receipts.appending import Appender
from daemon.receipts.checking import check
from daemon.receipts.files import links, segments
from daemon.receipts.links import Crossed, Ended, Link, Started, Stopped
from daemon.receipts.proof import prove
from daemon.wire import LocalProof, Receipt
from tests.fakes.clock import HeldClock
from tests.fakes.receipts import RECEIPT


class Past:
    """A chain as it is written, and what is proven of it."""

    def __init__(self, folder: Path) -> None:
        self.clock = HeldClock()
        self.folder = folder
        self._appender = Appender(folder, self.clock)

    def write(self, link: Link) -> int:
        (written,) = self._appender.append([link], durable=False)
        return written.number

    def start(self, pid: int = 1) -> int:
        return self.write(Started(at=self.clock.now(), version="1", pid=pid))

    def stop(self, of: int) -> int:
        return self.write(Stopped(at=self.clock.now(), of=of))

    def cross(self, **more: Any) -> int:
        return self.write(Crossed(at=self.clock.now(), receipt=replace(RECEIPT, at=self.clock.now(), **more)))

    def later(self, hours: float) -> datetime:
        self.clock.advance(hours * 3600)
        return self.clock.now()

    def proof(self, since: datetime, *records: tuple[str, Receipt], pid: int | None = None) -> LocalProof:
        return prove(since, self.clock.now(), check(self.folder), links(self.folder), records, pid)


def test_nothing_left(tmp_path: Path) -> None:
    """The chain reaches back far enough and nothing went out: proven, with the daemon's runs."""
    past = Past(tmp_path)
    start = past.start()
    since = past.later(1)
    past.later(1)
    past.stop(start)
    past.later(1)
    past.start(pid=7)
    past.later(1)

    proof = past.proof(since, pid=7)

    assert (proof.verdict, proof.left, proof.near, proof.gaps) == ("nothing-left", (), (), ())
    assert [(run.ended, run.last_sign - run.started_at) for run in proof.runs] == [
        ("stopped", timedelta(hours=2)),
        ("runs", timedelta(hours=1)),
    ]


def test_what_left_before_does_not_count(tmp_path: Path) -> None:
    """Only what is in the time asked about."""
    past = Past(tmp_path)
    past.start()
    past.cross()
    since = past.later(1)
    assert past.proof(since).verdict == "nothing-left"
    past.cross()
    past.cross(host="b.example", body_bytes=7)
    past.cross()

    proof = past.proof(since)

    assert proof.verdict == "left"
    assert [(each.host, each.crossings, each.body_bytes) for each in proof.left] == [
        ("api.example", 2, 200),
        ("b.example", 1, 7),
    ]


def test_servers_on_this_machine_and_what_was_not_sent_are_no_leaving(tmp_path: Path) -> None:
    """They are told apart; a crossing whose end nobody wrote counts as left."""
    past = Past(tmp_path)
    past.start()
    since = past.clock.now()
    past.cross(place="device", host="127.0.0.1")
    number = past.cross()
    past.write(Ended(at=since, of=number, outcome="unsent"))

    proof = past.proof(since)

    assert (proof.verdict, [each.host for each in proof.near]) == ("nothing-left", ["127.0.0.1"])
    past.cross()
    assert past.proof(since).verdict == "left"


def test_a_time_before_the_first_receipt_is_not_proven(tmp_path: Path) -> None:
    """Nothing is known of it, and that is said."""
    past = Past(tmp_path)
    since = past.clock.now()
    assert past.proof(since).verdict == "not-proven"
    past.later(1)
    past.start()

    proof = past.proof(since)

    assert proof.verdict == "not-proven"
    assert "nothing is known of before" in proof.gaps[0]


def test_a_broken_chain_proves_nothing(tmp_path: Path) -> None:
    """And the first broken place is named."""
    past = Past(tmp_path)
    past.start()
    since = past.later(1)
    past.start()
    past.start()
    path = segments(tmp_path)[0]
    path.write_bytes(path.read_bytes().replace(b'"pid":1', b'"pid":2', 1))

    proof = past.proof(since)

    assert proof.verdict == "not-proven"
    assert "the chain of receipts is broken: link 2" in proof.gaps[0]


def test_records_are_a_second_witness(tmp_path: Path) -> None:
    """Receipts that stand in records must stand in the chain; those of older versions count as they are."""
    past = Past(tmp_path)
    past.start()
    since = past.clock.now()
    number = past.cross()
    good = replace(RECEIPT, number=number)

    assert past.proof(since, ("r1", good)).records_agree == 1
    assert past.proof(since, ("r1", good)).gaps == ()
    for strange in (replace(good, number=99), replace(good, sha256="bb")):
        assert "which the chain doesn't have" in past.proof(since, ("r1", strange)).gaps[0]
    assert past.proof(since, ("r0", replace(RECEIPT, number=0))).left[0].crossings == 2


def test_a_daemon_that_vanished(tmp_path: Path) -> None:
    """Its end is not known, its last sign is."""
    past = Past(tmp_path)
    past.start()
    past.later(1)
    past.cross()
    since = past.later(1)
    past.start(pid=2)

    runs = past.proof(since).runs

    assert [(run.ended, run.last_sign - run.started_at) for run in runs] == [
        ("vanished", timedelta(hours=1)),
        ("vanished", timedelta()),
    ]


def test_runs_of_before_are_left_out(tmp_path: Path) -> None:
    """One that vanished is told of while it may have lasted into the time, and not when another began before that."""
    past = Past(tmp_path)
    past.start()
    past.later(1)
    past.stop(past.start())
    past.later(1)
    past.start()
    since = past.later(1)

    (run,) = past.proof(since).runs

    assert (run.ended, since - run.started_at) == ("vanished", timedelta(hours=1))


def test_a_clock_that_was_set_back_hides_nothing(tmp_path: Path) -> None:
    """What was written after the time began counts, whatever the clock said then."""
    past = Past(tmp_path)
    past.start()
    since = past.later(1)
    past.start()
    past.later(-48)
    past.cross()
    past.later(50)

    assert past.proof(since).verdict == "left"

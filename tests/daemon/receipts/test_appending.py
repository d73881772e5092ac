"""The end of the chain: several writers, torn ends, full disks, a clock that moves, files that vanish, and pruning."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.receipts import appending
from daemon.receipts.appending import Appender
from daemon.receipts.checking import check
from daemon.receipts.files import links, segments
from daemon.receipts.links import START, Link, Mended, Pruned, Started, Stopped, digest_of
from tests.fakes.clock import HeldClock

WRITER = """
import sys
from pathlib import Path
from daemon.clock import SystemClock
from daemon.receipts.appending import Appender
from daemon.receipts.links import Started
appender, clock = Appender(Path(sys.argv[1]), SystemClock()), SystemClock()
for number in range(int(sys.argv[2])):
    appender.append([Started(at=clock.now(), version=sys.argv[3], pid=number)], durable=False)
"""


def note(clock: HeldClock, pid: int = 1) -> Started:
    return Started(at=clock.now(), version="1", pid=pid)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


def test_links_hold_what_is_before_them(tmp_path: Path, clock: HeldClock) -> None:
    """Each line holds the SHA-256 of the line before it, as a user can check by hand."""
    appender = Appender(tmp_path, clock)
    first = appender.append([note(clock), note(clock)], durable=True)
    then = appender.append([note(clock)], durable=False)
    appender.close()

    lines = segments(tmp_path)[0].read_bytes().splitlines()
    assert [link.number for link in (*first, *then)] == [1, 2, 3]
    assert [link.before for link in (*first, *then)] == [START, digest_of(lines[0]), digest_of(lines[1])]
    assert list(links(tmp_path)) == [*first, *then]


def test_processes_take_turns(tmp_path: Path) -> None:
    """Four processes that write at once make one chain without a gap."""
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "100", str(each)]) for each in range(4)]
    assert [process.wait(timeout=60) for process in running] == [0] * 4

    chain = check(tmp_path)
    assert (chain.whole, chain.first, chain.last, chain.links) == (True, 1, 400, 400)
    assert {link.version for link in links(tmp_path) if isinstance(link, Started)} == {"0", "1", "2", "3"}


def test_two_writers_in_turns(tmp_path: Path, clock: HeldClock) -> None:
    """Each goes on where the other stopped, over the end of a day as well."""
    one, other = Appender(tmp_path, clock), Appender(tmp_path, clock)
    for _ in range(3):
        one.append([note(clock)], durable=False)
        other.append([note(clock)], durable=False)
        clock.advance(86_400)
        other.append([note(clock)], durable=False)

    assert check(tmp_path).whole
    assert [path.name for path in segments(tmp_path)] == [f"{number:012d}.jsonl" for number in (1, 3, 6, 9)]


@pytest.mark.parametrize("torn", [b"{", b'{"kind":"started","num', b"\x00" * 5000, b"\xff"])
def test_a_torn_end_is_cut_off_and_said(tmp_path: Path, clock: HeldClock, torn: bytes) -> None:
    """What a power cut left of a line goes; a link says so, and the chain holds."""
    appender = Appender(tmp_path, clock)
    appender.append([note(clock)], durable=False)
    appender.close()
    with segments(tmp_path)[0].open("ab") as file:
        file.write(torn)
    assert check(tmp_path).whole  # it may be a line that is being written now
    assert check(tmp_path).remarks

    appender.append([note(clock)], durable=False)

    kinds = [type(link) for link in links(tmp_path)]
    assert kinds == [Started, Mended, Started]
    chain = check(tmp_path)
    assert chain.whole
    assert f"{len(torn)} bytes was cut off" in chain.remarks[0]


def test_a_file_torn_before_its_first_line(tmp_path: Path, clock: HeldClock) -> None:
    """A file that was begun and got no line, or half of one, goes on from the file before it."""
    appender = Appender(tmp_path, clock)
    appender.append([note(clock)], durable=False)
    appender.close()
    for content in (b"", b'{"ki'):
        (tmp_path / "000000000002.jsonl").write_bytes(content)
        fresh = Appender(tmp_path, clock)
        fresh.append([note(clock)], durable=False)
        fresh.close()
        assert check(tmp_path).whole, check(tmp_path).problems
        (tmp_path / "000000000002.jsonl").unlink()


def test_a_damaged_last_line_does_not_stop_receipts(tmp_path: Path, clock: HeldClock) -> None:
    """New links go on behind it; the check names the line."""
    appender = Appender(tmp_path, clock)
    appender.append([note(clock), note(clock)], durable=False)
    appender.close()
    path = segments(tmp_path)[0]
    first, second = path.read_bytes().splitlines()
    path.write_bytes(first + b"\n" + b"#" * len(second) + b"\n")

    appender.append([note(clock)], durable=False)
    appender.append([note(clock)], durable=False)

    chain = check(tmp_path)
    assert (chain.last, chain.links) == (4, 4)
    assert [(each.line, each.number) for each in chain.problems] == [(2, None)]


def test_a_full_disk_takes_nothing(tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that stops in its middle is taken back, and the next one goes on as if it had not been."""
    appender = Appender(tmp_path, clock)
    appender.append([note(clock)], durable=False)
    before = segments(tmp_path)[0].read_bytes()
    write, room = os.write, [10]

    def full(file: int, data: bytes) -> int:
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[: room.pop()])

    monkeypatch.setattr(appending.os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        appender.append([note(clock)], durable=True)
    assert segments(tmp_path)[0].read_bytes() == before

    monkeypatch.undo()
    assert appender.append([note(clock)], durable=True)[0].number == 2
    assert check(tmp_path).whole


def test_a_disk_that_fails_to_sync_takes_nothing(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the disk did not confirm is taken back."""
    appender = Appender(tmp_path, clock)

    def broken(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(appending.os, "fdatasync", broken, raising=False)
    with pytest.raises(OSError, match="Input/output"):
        appender.append([note(clock)], durable=True)
    assert list(links(tmp_path)) == []

    appender.append([note(clock)], durable=False)
    assert check(tmp_path).whole


def test_a_real_full_disk(tmp_path: Path, clock: HeldClock) -> None:
    """A file-size limit of the system's stops a write in its middle; nothing of it stays, and the chain goes on."""
    script = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n" + WRITER
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path), "100", "x"], capture_output=True, text=True)

    assert "File too large" in done.stderr
    chain = check(tmp_path)
    assert chain.whole
    assert chain.links > 2
    assert not chain.remarks
    assert segments(tmp_path)[0].stat().st_size <= 1000


def test_files_that_were_deleted_are_missed(tmp_path: Path, clock: HeldClock) -> None:
    """Who deletes the chain under a running process has it go on with the next number, and that shows."""
    appender = Appender(tmp_path, clock)
    appender.append([note(clock), note(clock)], durable=False)
    for path in tmp_path.iterdir():
        path.unlink()

    assert appender.append([note(clock)], durable=False)[0].number == 3
    assert "links 1 to 2 are missing" in check(tmp_path).problems[0].text


def test_a_clock_that_is_set_back(tmp_path: Path, clock: HeldClock) -> None:
    """Links keep their order; the check says that the clock was set back."""
    appender = Appender(tmp_path, clock)
    appender.append([note(clock)], durable=False)
    clock.advance(-3 * 86_400)
    appender.append([note(clock)], durable=False)

    chain = check(tmp_path)
    assert chain.whole
    assert "set back by 259200 s before link 2" in chain.remarks[0]


# ---- pruning --------------------------------------------------------------------------------------------------------


def days(tmp_path: Path, clock: HeldClock, count: int) -> Appender:
    """A chain of two links a day."""
    appender = Appender(tmp_path, clock)
    for _ in range(count):
        appender.append([note(clock), note(clock)], durable=False)
        clock.advance(86_400)
    return appender


def test_old_days_are_deleted_and_the_chain_still_holds(tmp_path: Path, clock: HeldClock) -> None:
    """Whole days go; the chain says which, and begins behind them; a second time as well."""
    appender = days(tmp_path, clock, 5)
    today = clock.now().date()

    assert appender.prune(today - timedelta(days=3)) == 4
    assert appender.prune(today - timedelta(days=3)) == 0
    chain = check(tmp_path)
    assert (chain.whole, chain.first, chain.last) == (True, 5, 12)
    assert [link.through for link in links(tmp_path) if isinstance(link, Pruned)] == [2, 4]

    assert appender.prune(today) == 6
    assert (check(tmp_path).whole, check(tmp_path).first) == (True, 11)


def test_everything_can_be_deleted(tmp_path: Path, clock: HeldClock) -> None:
    """Then only the links that say so are left."""
    appender = days(tmp_path, clock, 3)

    assert appender.prune(date.max) == 6
    assert {type(link) for link in links(tmp_path)} == {Pruned}
    assert check(tmp_path).whole
    appender.append([note(clock)], durable=False)
    assert check(tmp_path).whole


@pytest.mark.parametrize("gone", range(5))
def test_pruning_that_was_interrupted(
    tmp_path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch, gone: int
) -> None:
    """A process that ends after any of its steps leaves a chain that holds; the next pruning finishes it."""
    appender = days(tmp_path, clock, 4)
    unlink, left = Path.unlink, [gone]

    def some(self: Path, *args: Any, **options: Any) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        unlink(self, *args, **options)

    monkeypatch.setattr(Path, "unlink", some)
    with pytest.raises(KeyboardInterrupt) if gone < 4 else pytest.MonkeyPatch.context():
        appender.prune(clock.now().date())
    monkeypatch.undo()

    assert check(tmp_path).whole, check(tmp_path).problems
    fresh = Appender(tmp_path, clock)
    fresh.prune(clock.now().date())
    assert check(tmp_path).whole
    assert check(tmp_path).first == 9


def test_what_was_deleted_by_hand_is_not_explained(tmp_path: Path, clock: HeldClock) -> None:
    """A first or a middle file that is simply gone is a break."""
    days(tmp_path, clock, 3)
    middle = segments(tmp_path)[1]
    kept = middle.read_bytes()
    middle.unlink()
    assert "links between them are missing" in check(tmp_path).problems[0].text
    middle.write_bytes(kept)
    assert check(tmp_path).whole
    segments(tmp_path)[0].unlink()
    assert "are missing, and no link says" in check(tmp_path).problems[0].text


def test_files_are_the_users_alone(tmp_path: Path, clock: HeldClock) -> None:
    """Nobody else can read them."""
    days(tmp_path / "receipts", clock, 1)

    for path in (tmp_path / "receipts").iterdir():
        assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / "receipts").stat().st_mode & 0o077 == 0


def test_a_run_has_its_end(tmp_path: Path, clock: HeldClock) -> None:
    """Notes of different kinds come back as they were."""
    appender = Appender(tmp_path, clock)
    (start,) = appender.append([note(clock)], durable=False)
    stop: Link = Stopped(at=clock.now(), of=start.number)
    (stop,) = appender.append([stop], durable=True)

    assert list(links(tmp_path)) == [start, stop]

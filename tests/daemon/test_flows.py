"""Work that waits for a tool: for whom, how long, and where."""

from __future__ import annotations

import stat
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.flows import KEPT_S, MOST, Flows
from tests.fakes.clock import HeldClock

KEY = "0123456789abcdef"


@pytest.mark.parametrize("may_write", [False, True])
def test_it_is_given_back_once_to_who_left_it(tmp_path: Path, clock: HeldClock, may_write: bool) -> None:
    """Another client gets nothing, and nobody gets it twice."""
    flows = Flows(tmp_path / "flows", may_write, clock)
    flows.keep(KEY, "zed", b"words")

    assert flows.take(KEY, None) is None
    assert flows.take(KEY, "other") is None
    assert flows.take(KEY, "zed") == b"words"
    assert flows.take(KEY, "zed") is None


@pytest.mark.parametrize("may_write", [False, True])
def test_it_is_gone_after_a_while(tmp_path: Path, clock: HeldClock, may_write: bool) -> None:
    """Half an hour later nobody comes back; nor after the user deleted what is as old."""
    flows = Flows(tmp_path / "flows", may_write, clock)
    flows.keep(KEY, None, b"words")
    clock.advance(KEPT_S)
    assert flows.take(KEY, None) is None

    flows.keep(KEY, None, b"words")
    clock.advance(60)
    flows.forget_older(timedelta(seconds=60))
    assert flows.take(KEY, None) is None


def test_without_leave_nothing_is_written(tmp_path: Path, clock: HeldClock) -> None:
    """Where words may not be kept, no file is made, and those of a time when they were are wiped at the start."""
    folder = tmp_path / "flows"
    Flows(folder, True, clock).keep(KEY, None, b"words")
    flows = Flows(folder, False, clock)
    flows.keep("f" * 16, None, b"words")

    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_files_are_the_user_s_alone(tmp_path: Path, clock: HeldClock) -> None:
    """The folder is entered and the file read by nobody else; both outlive a restart, and the file is wiped when taken."""
    folder = tmp_path / "flows"
    Flows(folder, True, clock).keep(KEY, "zed", b"words")

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / KEY).stat().st_mode) == 0o600
    assert Flows(folder, True, clock).take(KEY, "zed") == b"words"
    assert list(folder.iterdir()) == []


def test_old_and_damaged_files_are_wiped(tmp_path: Path, clock: HeldClock) -> None:
    """A start leaves only what can still be taken."""
    folder = tmp_path / "flows"
    Flows(folder, True, clock).keep(KEY, None, b"old")
    (folder / "damaged").write_bytes(b"x")
    clock.advance(KEPT_S)
    Flows(folder, True, clock)

    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("key", ["../../etc/passwd", "", "0" * 15, "0" * 17, KEY.upper()])
def test_a_key_is_a_key(tmp_path: Path, clock: HeldClock, key: str) -> None:
    """What a client calls one is no path."""
    assert Flows(tmp_path / "flows", True, clock).take(key, None) is None


def test_memory_is_bounded(tmp_path: Path, clock: HeldClock) -> None:
    """The oldest go when there are too many."""
    flows = Flows(tmp_path / "flows", False, clock)
    for number in range(MOST + 1):
        flows.keep(f"{number:016x}", None, b"words")

    assert flows.take(f"{0:016x}", None) is None
    assert flows.take(f"{MOST:016x}", None) == b"words"

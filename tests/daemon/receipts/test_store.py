"""The receipts of a process: there before anything leaves, completed afterwards, and never in the way of the event loop."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.receipts import appending, store
from daemon.receipts.checking import check
from daemon.receipts.files import links
from daemon.receipts.folding import newest, numbered
from daemon.receipts.links import Crossed, Ended, Started, Stopped
from daemon.receipts.store import About, Cost, Receipts, of_command
from daemon.wire import Receipt
from providers.certificates import Tls
from providers.cleared import Crossing, Place, Returned
from providers.contract import NotWitnessed
from tests.fakes.clock import HeldClock

CLOUD = Crossing("api.example", Place.CLOUD, 120, "ab" * 32, "work", "/v1/chat/completions")
HERE = Crossing("127.0.0.1", Place.DEVICE, 7, "cd" * 32, "ollama", "/v1/chat/completions")


@pytest.fixture
async def receipts(tmp_path: Path) -> AsyncIterator[Receipts]:
    made = Receipts(tmp_path, HeldClock(), "daemon")
    yield made
    await asyncio.to_thread(made.close)


async def test_a_crossing_is_there_before_it_leaves(receipts: Receipts, tmp_path: Path) -> None:
    """When the witness returns, the chain has it, with all that is known; its end comes later."""
    about = About(model="big", record="00ff", masks={"EMAIL": 2}, rule="default/hard", policy="balanced: masked")
    seen: list[Receipt] = []

    ended = await receipts.witness(about, seen.append)(CLOUD)

    (link,) = links(tmp_path)
    assert isinstance(link, Crossed)
    assert link.receipt == seen[0] == newest(tmp_path, None, 9)[0]
    told = link.receipt
    assert (told.number, told.record, told.model, told.masks) == (1, "00ff", "big", {"EMAIL": 2})
    assert (told.host, told.place, told.body_bytes, told.sha256) == ("api.example", "cloud", 120, "ab" * 32)
    assert (told.rule, told.policy, told.outcome, told.by) == ("default/hard", "balanced: masked", None, "daemon")

    ended(Returned(200, 55, True))
    await receipts.flush()

    assert seen[1] == newest(tmp_path, None, 9)[0] == numbered(tmp_path, 1)
    assert (seen[1].outcome, seen[1].status, seen[1].answer_bytes) == ("answered", 200, 55)


@pytest.mark.parametrize(
    ("returned", "outcome"),
    [(Returned(200, 5, True), "answered"), (Returned(500, 5, False), "cut"), (Returned(None, 0, False), "silent")],
)
async def test_outcomes(receipts: Receipts, tmp_path: Path, returned: Returned, outcome: str) -> None:
    """Read to the end, broken off, or nothing came."""
    (await receipts.witness()(CLOUD))(returned)
    await receipts.flush()

    assert newest(tmp_path, None, 1)[0].outcome == outcome


async def test_the_price_is_asked_for_at_the_end(receipts: Receipts, tmp_path: Path) -> None:
    """Since only then the tokens are counted."""
    cost: list[Cost | None] = [None]
    ended = await receipts.witness(About(cost=lambda: cost[0]))(CLOUD)
    cost[0] = Cost(0.25, "list", "2026-11-30")
    ended(Returned(200, 1, True))
    await receipts.flush()

    told = newest(tmp_path, None, 1)[0]
    assert (told.cost_usd, told.priced_by, told.prices_as_of) == (0.25, "list", "2026-11-30")


async def test_what_leaves_the_machine_is_on_the_disk(receipts: Receipts, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crossing waits for the disk; one to a server on this machine, and an end, do not."""
    synced: list[int] = []
    monkeypatch.setattr(appending.os, "fdatasync", synced.append, raising=False)

    (await receipts.witness()(HERE))(Returned(200, 1, True))
    await receipts.flush()
    assert synced == []
    await receipts.witness()(CLOUD)
    assert len(synced) == 1


async def test_a_slow_disk_does_not_hold_the_loop(receipts: Receipts, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk takes 0.3 s, the event loop goes on; what is queued meanwhile shares the next wait."""
    waits: list[int] = []

    def slow(file: int) -> None:
        waits.append(file)
        time.sleep(0.3)

    monkeypatch.setattr(appending.os, "fdatasync", slow, raising=False)
    first = asyncio.create_task(receipts.witness()(CLOUD))
    ticks = 0
    while not waits:
        await asyncio.sleep(0)
    rest = [asyncio.create_task(receipts.witness()(CLOUD)) for _ in range(20)]
    while not first.done():
        ticks += 1
        await asyncio.sleep(0.001)
    await asyncio.gather(first, *rest)

    assert ticks > 20
    assert len(waits) == 2
    assert check(receipts.folder).links == 21


async def test_order_is_kept(receipts: Receipts) -> None:
    """Crossings have numbers in the order in which they asked."""
    seen: list[list[Receipt]] = [[] for _ in range(50)]
    await asyncio.gather(*(receipts.witness(seen=each.append)(CLOUD) for each in seen))

    assert [each[0].number for each in seen] == list(range(1, 51))


async def test_nothing_leaves_without_room_for_its_receipt(
    receipts: Receipts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the witness refuses, and a warning says so; with room again it goes on, and ends are not lost."""
    ended = await receipts.witness()(CLOUD)
    write = os.write

    def full(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(appending.os, "write", full)
    ended(Returned(200, 1, True))
    with pytest.raises(NotWitnessed, match=r"nothing was sent.*No space left on device.*free disk space"):
        await receipts.witness()(CLOUD)
    assert [warning.code for warning in receipts.warnings()] == ["receipts-unwritable"]

    monkeypatch.setattr(appending.os, "write", write)
    await receipts.witness()(CLOUD)

    await receipts.flush()
    assert receipts.warnings() == ()
    assert [each.outcome for each in newest(tmp_path, None, 9)] == [None, "answered"]
    assert check(tmp_path).whole


async def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    """A file in its place is a refusal with the reason."""
    (tmp_path / "receipts").write_text("")
    made = Receipts(tmp_path / "receipts", HeldClock(), "daemon")
    with pytest.raises(NotWitnessed, match="a file in its way"):
        await made.witness()(CLOUD)
    await asyncio.to_thread(made.close)


async def test_a_disk_that_hangs_refuses(receipts: Receipts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while nothing is sent; if the receipt is written after all, it says that nothing was."""
    from threading import Event

    go = Event()
    monkeypatch.setattr(store, "PATIENCE_S", 0.1)
    monkeypatch.setattr(appending.os, "fdatasync", lambda _: go.wait(10), raising=False)
    with pytest.raises(NotWitnessed, match="the disk does not answer"):
        await receipts.witness()(CLOUD)

    go.set()
    await receipts.flush()
    assert newest(tmp_path, None, 1)[0].outcome == "unsent"


async def test_who_is_cancelled_meanwhile_sent_nothing(
    receipts: Receipts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that hangs up while its receipt is written leaves one that says so."""
    from threading import Event

    go = Event()
    monkeypatch.setattr(appending.os, "fdatasync", lambda _: go.wait(10), raising=False)
    task = asyncio.create_task(receipts.witness()(CLOUD))
    while not list(links(tmp_path)):
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    await receipts.flush()

    assert [each.outcome for each in newest(tmp_path, None, 9)] == ["unsent"]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from daemon.clock import SystemClock
from daemon.receipts.store import Receipts
from providers.cleared import Crossing, Place
async def main():
    receipts = Receipts(Path(sys.argv[1]), SystemClock(), "daemon")
    receipts.started("1", os.getpid())
    for _ in range(5):
        await receipts.witness()(Crossing("h", Place.CLOUD, 1, "00", "work"))
        sys.stdout.write("left\\n"); sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


def test_a_killed_process_leaves_every_receipt(tmp_path: Path) -> None:
    """kill -9 right after the bytes: each crossing has its receipt, without an end, and the chain holds."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, timeout=60)

    assert done.returncode == -signal.SIGKILL
    assert done.stdout.count(b"left") == 5
    assert [each.outcome for each in newest(tmp_path, None, 99)] == [None] * 5
    assert check(tmp_path).whole


async def test_a_run_is_written_down(tmp_path: Path) -> None:
    """When the daemon begins and when it ends."""
    made = Receipts(tmp_path, HeldClock(), "daemon")
    made.started("1.2", 42)
    made.stopped()
    await asyncio.to_thread(made.close)

    start, stop = links(tmp_path)
    assert isinstance(start, Started)
    assert isinstance(stop, Stopped)
    assert (start.version, start.pid, stop.of) == ("1.2", 42, start.number)


async def test_events_are_told(tmp_path: Path) -> None:
    """Each receipt once when it is written, and once when it is complete."""
    told: list[Any] = []
    made = Receipts(tmp_path, HeldClock(), "daemon", told.append)
    (await made.witness()(CLOUD))(Returned(200, 1, True))
    await asyncio.to_thread(made.close)

    assert [(each.number, each.outcome) for each in told] == [(1, None), (1, "answered")]


async def test_pruning_beside_a_writer(receipts: Receipts, tmp_path: Path) -> None:
    """What is deleted while a process writes leaves a chain that holds."""
    await receipts.witness()(CLOUD)
    assert await receipts.prune(timedelta()) == 1
    await receipts.witness()(CLOUD)

    assert check(tmp_path).whole
    assert [each.number for each in newest(tmp_path, None, 9)] == [3]


async def test_another_issuer_is_warned_of(tmp_path: Path) -> None:
    """A daemon that starts anew knows from the chain who vouched for a host before."""
    public = Tls("TLSv1.3", "Public CA", "R1", "public")
    watcher = Tls("TLSv1.3", "Watcher", "Box", "private")
    with of_command(tmp_path, "test") as before:
        await before.witness()(Crossing("api.example", Place.CLOUD, 1, "00", "work", tls=public))
    made = Receipts(tmp_path, HeldClock(), "daemon")
    assert made.warnings() == ()
    await made.witness()(Crossing("api.example", Place.CLOUD, 1, "00", "work", tls=watcher))

    (warning,) = made.warnings()
    assert warning.code == "tls-private-root"
    assert "Watcher, Box (a private root), before by Public CA, R1 (a public root)" in warning.text
    await asyncio.to_thread(made.close)


def test_a_command_that_sends_nothing_leaves_nothing(tmp_path: Path) -> None:
    """No folder, no file, no thread."""
    with of_command(tmp_path / "receipts", "doctor"):
        pass

    assert not (tmp_path / "receipts").exists()


async def test_ends_of_crossings_that_were_refused_are_dropped(receipts: Receipts, tmp_path: Path) -> None:
    """An end is never written for what is not in the chain."""
    await receipts.witness()(CLOUD)
    await receipts.flush()

    assert [link for link in links(tmp_path) if isinstance(link, Ended)] == []

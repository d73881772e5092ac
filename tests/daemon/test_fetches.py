"""Models that are being fetched, by real processes that say what the command says."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from daemon.errors import BadRequest, NotFound
from daemon.events import EventRing
from daemon.fetches import Fetches
from daemon.wire import Event, Fetch
from tests.fakes.clock import HeldClock

PROGRESS = """
import json
print("fetching small from maker/small", flush=True)
for done in (10, 40):
    print(json.dumps({"status": "pulling small.gguf", "digest": "x", "total": 40, "completed": done}), flush=True)
print("`local/small` answers with it", flush=True)
"""
ENDLESS = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


class Heard:
    """Fetches, and what was told of them. script: what runs in place of the command."""

    def __init__(self, clock: HeldClock, script: str) -> None:
        async def nothing() -> dict[str, Any]:
            return {}

        ring = EventRing(clock, nothing)
        self.told: list[Fetch] = []
        self.asked: list[tuple[str, ...]] = []
        ring.listen(self._note)
        self.fetches = Fetches(ring, self._started)
        self._script = script

    def _note(self, event: Event) -> None:
        assert event.kind == "fetch"
        self.told.append(event.data)

    def _started(self, *arguments: str) -> list[str]:
        self.asked.append(arguments)
        return [sys.executable, "-c", self._script]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.01)


async def test_progress_is_told(clock: HeldClock) -> None:
    """How far each file is, what the command says last, and that it is done."""
    heard = Heard(clock, PROGRESS)
    async with heard.fetches.running():
        heard.fetches.begin("maker/small", "small.gguf")
        await heard.until(lambda: heard.told[-1].state != "running")

    assert heard.asked == [("models", "pull", "--json", "--", "maker/small", "small.gguf")]
    assert [(each.file, each.done_bytes, each.whole_bytes) for each in heard.told[2:4]] == [
        ("small.gguf", 10, 40),
        ("small.gguf", 40, 40),
    ]
    assert (heard.told[-1].state, heard.told[-1].told) == ("done", "`local/small` answers with it")
    assert heard.fetches.known == (heard.told[-1],)


async def test_a_failure_is_told_in_the_commands_words(clock: HeldClock) -> None:
    """And the same model may be asked for again."""
    heard = Heard(clock, "print('nearloop: the hub does not answer'); raise SystemExit(1)")
    async with heard.fetches.running():
        for _ in range(2):
            heard.fetches.begin("small", None)
            await heard.until(lambda: heard.told[-1].state != "running")
            assert (heard.told[-1].state, heard.told[-1].told) == ("failed", "the hub does not answer")


async def test_it_can_be_stopped_and_a_stop_of_nothing_is_refused(clock: HeldClock) -> None:
    """The process is gone afterwards."""
    heard = Heard(clock, ENDLESS)
    async with heard.fetches.running():
        heard.fetches.begin("small", None)
        await heard.until(lambda: heard.told[-1].told.isdigit())
        pid = int(heard.told[-1].told)
        with pytest.raises(BadRequest, match="already"):
            heard.fetches.begin("small", None)
        heard.fetches.stop("small")
        await heard.until(lambda: heard.told[-1].state == "stopped")
        assert not psutil.pid_exists(pid)
        with pytest.raises(NotFound):
            heard.fetches.stop("small")


async def test_the_end_of_the_daemon_ends_them(clock: HeldClock) -> None:
    """Nothing is left behind, and nothing begins any more."""
    heard = Heard(clock, ENDLESS)
    async with heard.fetches.running():
        heard.fetches.begin("small", None)
        await heard.until(lambda: heard.told[-1].told.isdigit())

    assert not psutil.pid_exists(int(heard.told[-2].told))
    with pytest.raises(BadRequest, match="stopping"):
        heard.fetches.begin("small", None)

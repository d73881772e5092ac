"""The last lines of the log, for who watches."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from daemon.log_ring import LogRing
from tests.fakes.clock import HeldClock


async def test_lines_are_numbered_and_the_oldest_go(clock: HeldClock) -> None:
    """Of our parts also what they merely tell, of others warnings; nothing before or after."""
    ring = LogRing(clock, lambda: None, capacity=3)
    ours, theirs = logging.getLogger("nearloop.test"), logging.getLogger("somebody")
    ours.warning("before")
    async with ring.listening():
        ours.info("one")
        theirs.info("chatter")
        theirs.warning("two")
        ours.error("three %d", 3)
        ours.info("four")
    ours.warning("after")

    assert [(line.number, line.level, line.text) for line in ring.last(9)] == [
        (2, "warning", "two"),
        (3, "error", "three 3"),
        (4, "info", "four"),
    ]
    assert [line.text for line in ring.last(1)] == ["four"]


async def test_who_watches_is_told_once_for_many(clock: HeldClock) -> None:
    """Also of lines that other threads write."""
    told: list[int] = []
    ring = LogRing(clock, lambda: told.append(1))
    log = logging.getLogger("nearloop.test")
    async with ring.listening():
        for _ in range(5):
            log.info("line")
        await asyncio.sleep(0)
        assert len(told) == 1
        thread = threading.Thread(target=lambda: log.info("of a thread"))
        thread.start()
        thread.join()
        await asyncio.sleep(0)
        assert len(told) == 2


async def test_an_exceptions_words_are_not_kept(clock: HeldClock) -> None:
    """It is told by type and place, as everywhere."""
    ring = LogRing(clock, lambda: None)
    async with ring.listening():
        try:
            raise ValueError("canary-words")
        except ValueError:
            logging.getLogger("nearloop.test").exception("it failed")

    assert "ValueError in " in ring.last(1)[0].text
    assert "canary-words" not in ring.last(1)[0].text


async def test_other_handlers_stay_as_quiet_as_they_were(clock: HeldClock, capsys: pytest.CaptureFixture[str]) -> None:
    """What our parts merely tell is not written to the terminal because somebody watches."""
    root = logging.getLogger()
    heard: list[str] = []

    class Terminal(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    terminal, before = Terminal(), root.level
    root.addHandler(terminal)
    root.setLevel(logging.WARNING)
    try:
        async with LogRing(clock, lambda: None).listening():
            logging.getLogger("nearloop.test").info("quiet")
            logging.getLogger("nearloop.test").warning("loud")
        assert terminal.level == logging.NOTSET
    finally:
        root.removeHandler(terminal)
        root.setLevel(before)
    assert heard == ["loud"]

"""The poller: what it reads, how often, and what it does when nobody answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from daemon.paths import Paths
from tests.fakes.played_daemon import PlayedDaemon, playing
from tests.fakes.told_records import a_day, record
from tui.feed import PACE_S, SHARE, SLOWEST_S, Feed, pace
from tui.link import Link


@asynccontextmanager
async def following(link: Link) -> AsyncIterator[list[frozenset[str]]]:
    """What a feed tells, while it runs."""
    told: list[frozenset[str]] = []
    task = asyncio.create_task(Feed(link, told.append).run())
    try:
        yield told
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(told: list[frozenset[str]], kind: str) -> None:
    async with asyncio.timeout(20):
        while not any(kind in kinds for kinds in told):
            await asyncio.sleep(0.01)


async def test_it_begins_with_the_state_and_the_backlog(where: Paths) -> None:
    """Records from before it listened are there at the start."""
    link = Link(where)
    async with playing(PlayedDaemon(where, a_day())), following(link) as told:
        await until(told, "state")

    assert len(link.picture.records) == len(a_day())
    assert link.trouble is None


async def test_a_burst_is_one_repaint(where: Paths) -> None:
    """200 records in one moment are told of once or twice, not 200 times."""
    link = Link(where)
    async with playing(PlayedDaemon(where)) as daemon, following(link) as told:
        await until(told, "state")
        for number in range(200):
            daemon.say("record", record(number), record(number).id)
        await until(told, "record")
        await asyncio.sleep(2 * PACE_S)  # what might come must have come

    assert len(link.picture.records) == 200
    assert sum("record" in kinds for kinds in told) <= 2


async def test_it_tells_of_trouble_once_and_comes_back(where: Paths) -> None:
    """Without a daemon it looks for one, and says so once."""
    link = Link(where)
    async with following(link) as told:
        async with asyncio.timeout(20):
            while link.trouble is None:
                await asyncio.sleep(0.01)
        async with playing(PlayedDaemon(where, a_day())):
            await until(told, "state")

        assert link.trouble is None
        assert told == [frozenset(), frozenset({"state"})]


def test_what_takes_long_is_done_less_often() -> None:
    """An eye's pace, a share of one core where that is more, and never so slow that it looks still."""
    assert pace(0.001) == PACE_S
    assert pace(0.04) == 0.04 / SHARE
    assert pace(3) == SLOWEST_S

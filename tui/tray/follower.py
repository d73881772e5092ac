"""Follows the daemon's events for as long as the icon is there: one question at a time, which waits for news."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final

from daemon.client import Watch
from tui.link import TROUBLE, Link
from tui.tray.notices import Notice
from tui.tray.standing import Standing

WAIT_S: Final = 60.0
"""How long one question waits for news; the most that the daemon allows."""
PACE_S: Final = 0.25
"""Between two questions, however much happens."""
RETRY_S: Final = 3.0
"""Between two looks for a daemon that isn't there: each reads one file."""
MOST: Final = 1000
"""Records of this day that are read at the start; the most that the daemon gives."""

MONEY: Final = frozenset({"state", "record", "spending", "settings", "purged"})
"""What changes what was spent, or what may be."""


class Follower:
    """paint: is called after each change, on the event loop, with what the user is to be told."""

    def __init__(
        self, link: Link, standing: Standing, paint: Callable[[list[Notice]], None], retry_s: float = RETRY_S
    ) -> None:
        self._link = link
        self._standing = standing
        self._paint = paint
        self._retry_s = retry_s
        self._linger: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                try:
                    async with Watch(self._link.paths) as watch:
                        await self._follow(watch)
                except TROUBLE as trouble:
                    if self._standing.trouble != str(trouble):
                        self._standing.lost(str(trouble))
                        self._paint([])
                await asyncio.sleep(self._retry_s)
        finally:
            if self._linger is not None:
                self._linger.cancel()

    async def _follow(self, watch: Watch) -> None:
        since: int | None = None
        while True:
            news = await watch.events(since, WAIT_S)
            kinds = {event.kind for event in news.events}
            if "state" in kinds:
                await self._read_day()
            if kinds & MONEY:
                self._standing.day.tell(await self._link.call(lambda client: client.spending()))
            if news.events:
                self._paint(self._standing.take(news.events))
                self._again_when_it_changes()
            since = news.next
            await asyncio.sleep(PACE_S)

    async def _read_day(self) -> None:
        now = self._link.now().astimezone()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        age = f"{int((now - midnight).total_seconds()) + 1}s"
        known = (await self._link.call(lambda client: client.records(age, MOST))).records
        self._standing.day.floor = len(known) == MOST
        for record in known:
            self._standing.day.add(record)

    def _again_when_it_changes(self) -> None:
        now: datetime = self._link.now()
        due = self._standing.changes_at(now)
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None
        if due is not None:
            wait_s = (due - now).total_seconds()
            self._linger = asyncio.get_running_loop().call_later(wait_s, self._paint, [])

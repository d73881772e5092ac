"""The one poller of the daemon's events, which paints for all screens at a pace that an eye can follow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from daemon.client import Watch
from tui.link import TROUBLE, Link
from tui.picture import EVERYTHING

WAIT_S: Final = 20.0
"""How long one question waits for news."""
PACE_S: Final = 0.25
"""Between two questions, however much happens: 50 requests a second are four repaints a second."""
RETRY_S: Final = 1.0
"""Between two looks for a daemon that isn't there."""
BACKLOG: Final = 500
"""Records that are read at the start."""


class Feed:
    """Follows the daemon for as long as it is awaited. tell: is given the kinds of what happened, or of trouble nothing."""

    def __init__(self, link: Link, tell: Callable[[frozenset[str]], None]) -> None:
        self._link = link
        self._tell = tell

    async def run(self) -> None:
        """Until cancelled: follow, and when the daemon is gone, look for it again."""
        while True:
            try:
                async with Watch(self._link.paths) as watch:
                    await self._follow(watch)
            except TROUBLE as trouble:
                if self._link.trouble != str(trouble):
                    self._link.trouble = str(trouble)
                    self._tell(frozenset())
            await asyncio.sleep(RETRY_S)

    async def _follow(self, watch: Watch) -> None:
        since: int | None = None
        while True:
            news = await watch.events(since, WAIT_S)
            kinds = self._link.picture.take(news.events)
            if kinds >= EVERYTHING:  # the start, a daemon that began anew, or more news than it keeps
                self._link.picture.add((await self._link.call(lambda client: client.records(None, BACKLOG))).records)
            self._link.trouble = None
            if kinds:
                self._tell(kinds)
            since = news.next
            await asyncio.sleep(PACE_S)

"""The one poller of the daemon's events, which paints for all screens at a pace that an eye can follow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from daemon.client import Watch
from tui.link import TROUBLE, Link
from tui.picture import EVERYTHING

WAIT_S: Final = 20.0
"""How long one question waits for news."""
PACE_S: Final = 0.25
"""Between two questions at least, however much happens."""
SLOWEST_S: Final = 1.0
"""Between two questions at most, while things happen."""
SHARE: Final = 0.08
"""Of one core, that following and painting may take: who takes more is repainted less often."""
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
        used_s = time.process_time()
        while True:
            news = await watch.events(since, WAIT_S)
            kinds = self._link.picture.take(news.events)
            if kinds >= EVERYTHING:  # the start, a daemon that began anew, or more news than it keeps
                found = (await self._link.call(lambda client: client.records(None, BACKLOG))).records
                self._link.picture.replace(found, whole=len(found) < BACKLOG)
            self._link.trouble = None
            if kinds:
                self._tell(kinds)
            since = news.next
            before_s, used_s = used_s, time.process_time()
            await asyncio.sleep(pace(used_s - before_s))


def pace(used_s: float) -> float:
    """Seconds until the next question.

    used_s: of processor time since this was last asked, not since the news: what is told now is painted afterwards.
    """
    return min(SLOWEST_S, max(PACE_S, used_s / SHARE))

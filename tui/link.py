"""The dashboard's line to the daemon: what is known of it, and a way to ask it something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TypeVar

from daemon.client import Client, NoAnswer, NotRunning, Rejected
from daemon.paths import Paths
from tui.picture import Picture

T = TypeVar("T")
TROUBLE: Final = (NotRunning, NoAnswer, Rejected)
"""What a call may raise: it is shown to the user, in the daemon's own words."""


class Link:
    """What each screen is given. trouble: why nothing is heard; None: it is. now: the time, for what is still going on."""

    def __init__(self, paths: Paths, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.paths = paths
        self.now = now
        self.picture = Picture()
        self.trouble: str | None = None

    async def call(self, what: Callable[[Client], T]) -> T:
        """The answer to one question, which is asked off the event loop. Raises what is in TROUBLE."""

        def asked() -> T:
            with Client(self.paths) as client:
                return what(client)

        return await asyncio.to_thread(asked)

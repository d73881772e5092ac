"""A few slots, and a fair line in front of them.

Clients take turns: the next free slot goes to the client that is next in the round, not to the one that queued most.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from providers.contract import Overloaded


class FairQueue:
    """Slots for work, closed until `open`. limit: how many may wait. Used on the event loop only."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._slots = 0
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._mean_s = 1.0  # of recent work; the first guess only shapes the first Retry-After
        self.running = 0
        self.waiting = 0

    def open(self, slots: int) -> None:
        """From now on `slots` may run at once; 0 lets nobody in and keeps the line."""
        self._slots = slots
        self._admit()

    def fail_all(self, error: Exception) -> None:
        """Send everybody in the line home with `error`."""
        for line in self._lines.values():
            for turn in line:
                if not turn.done():
                    turn.set_exception(error)
        self._lines.clear()
        self.waiting = 0

    @property
    def retry_after_s(self) -> float:
        """When a slot should be free for somebody who comes later: what is waiting, at the recent pace."""
        rounds = (self.waiting + self.running) / max(1, self._slots)
        return min(60.0, max(1.0, rounds * self._mean_s))

    @asynccontextmanager
    async def slot(self, client: str) -> AsyncIterator[Callable[[], None]]:
        """Hold a slot until the block ends, or until what is given is called: work may end before its reader does.

        Raises Overloaded if the line is full, or what `fail_all` says.
        """
        await self._enter(client)
        loop = asyncio.get_running_loop()
        began = loop.time()
        held = True

        def release() -> None:
            nonlocal held
            if held:
                held = False
                self._mean_s += 0.2 * (loop.time() - began - self._mean_s)
                self.running -= 1
                self._admit()

        try:
            yield release
        finally:
            release()

    async def _enter(self, client: str) -> None:
        if self.running < self._slots and not self.waiting:
            self.running += 1
            return
        if self.waiting >= self._limit:
            raise Overloaded(
                f"{self.waiting} requests are waiting for this model already: try again later", self.retry_after_s
            )
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(client, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot came in the same moment: pass it on
                if turn.exception() is None:
                    self.running -= 1
                    self._admit()
            else:
                self._leave(client, turn)
            raise

    def _leave(self, client: str, turn: asyncio.Future[None]) -> None:
        line = self._lines.get(client)
        if line and turn in line:
            line.remove(turn)
            self.waiting -= 1
            if not line:
                del self._lines[client]

    def _admit(self) -> None:
        while self.running < self._slots and self._lines:
            client, line = self._lines.popitem(last=False)
            turn = line.popleft()
            if line:
                self._lines[client] = line  # to the end of the round
            self.waiting -= 1
            if not turn.done():
                self.running += 1
                turn.set_result(None)

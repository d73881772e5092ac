"""A few slots, and a fair line in front of them.

Clients take turns: the next free slot goes to the client that is next in the round, not to the one that queued most.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import Final

from providers.contract import Overloaded

MOST_RETRY_S: Final = 60.0


class Place:
    """Somebody's place in the line, and then a slot. It has to be left in the end, wherever it has come to."""

    def __init__(self, queue: FairQueue, client: str) -> None:
        self._queue = queue
        self._client = client
        self._since = 0.0
        self.turn: asyncio.Future[None] | None = None
        """While it is in the line, and until it is noticed that it has left it."""
        self.held = False

    async def comes(self, until: float | None = None, news: asyncio.Future[None] | None = None) -> bool:
        """Whether the slot is there; False if `news` came first.

        until: of the event loop's time, when it is no use to wait any more. Raises Overloaded then, or what `fail_all` says.
        """
        if self.turn is None:
            return True
        loop = asyncio.get_running_loop()
        waited_for = {self.turn} if news is None else {self.turn, news}
        left_s = None if until is None else max(0.0, until - loop.time())
        await asyncio.wait(waited_for, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        if self.turn.done():
            turn, self.turn = self.turn, None
            turn.result()
            return True
        if news is not None and news.done():
            return False
        raise Overloaded(
            "this request has waited for its turn as long as it may: try again later", self._queue.retry_after_s
        )

    def given(self, now: float) -> None:
        """Called by the queue: the slot is this one's."""
        self.held, self._since = True, now
        if self.turn is not None:
            self.turn.set_result(None)

    def leave(self) -> None:
        """Give the slot back, or leave the line. More than once is fine: work may end before its reader does."""
        if self.held:
            self.held = False
            self._queue.left(asyncio.get_running_loop().time() - self._since)
        elif self.turn is not None:
            if not self.turn.done():
                self._queue.gave_up(self._client, self)
            elif not self.turn.cancelled():
                self.turn.exception()  # told to nobody, who has gone
            self.turn = None


class FairQueue:
    """Slots for work, closed until `open`. limit: how many may wait. Used on the event loop only."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._slots = 0
        self._lines: OrderedDict[str, deque[Place]] = OrderedDict()
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
            for place in line:
                assert place.turn is not None
                place.turn.set_exception(error)
        self._lines.clear()
        self.waiting = 0

    @property
    def retry_after_s(self) -> float:
        """When a slot should be free for somebody who comes later: what is waiting, at the recent pace."""
        rounds = (self.waiting + self.running) / max(1, self._slots)
        return min(MOST_RETRY_S, max(1.0, rounds * self._mean_s))

    @property
    def wait_s(self) -> float:
        """How long somebody who comes now is likely to stand in line; 0 while that can't be told, as before it is open."""
        if self.running < self._slots or not self._slots:
            return 0.0
        return (self.waiting + 1) / self._slots * self._mean_s

    def enter(self, client: str) -> Place:
        """A place for `client`, with a slot already if one is free. Raises Overloaded if the line is full."""
        loop = asyncio.get_running_loop()
        place = Place(self, client)
        if self.running < self._slots and not self.waiting:
            self.running += 1
            place.given(loop.time())
            return place
        if self.waiting >= self.limit:
            raise Overloaded(
                f"{self.waiting} requests are waiting for this model already: try again later", self.retry_after_s
            )
        place.turn = loop.create_future()
        self._lines.setdefault(client, deque()).append(place)
        self.waiting += 1
        return place

    def left(self, took_s: float) -> None:
        """Called by a place whose slot is free again."""
        self._mean_s += 0.2 * (took_s - self._mean_s)
        self.running -= 1
        self._admit()

    def gave_up(self, client: str, place: Place) -> None:
        """Called by a place that leaves the line."""
        line = self._lines[client]
        line.remove(place)
        self.waiting -= 1
        if not line:
            del self._lines[client]

    def _admit(self) -> None:
        while self.running < self._slots and self._lines:
            client, line = self._lines.popitem(last=False)
            place = line.popleft()
            if line:
                self._lines[client] = line  # to the end of the round
            self.waiting -= 1
            self.running += 1
            place.given(asyncio.get_running_loop().time())

"""The numbered ring of events that watchers read."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from daemon.clock import Clock
from daemon.wire import Event, Events

CAPACITY: Final = 2048
"""Enough for minutes of busy traffic; who falls further behind gets the full state again."""


class EventRing:
    """The last events, and a way to wait for the next. state: makes the body of the `state` event."""

    def __init__(self, clock: Clock, state: Callable[[], Awaitable[dict[str, Any]]], capacity: int = CAPACITY) -> None:
        self._clock = clock
        self._state = state
        self._events: deque[Event] = deque(maxlen=capacity)
        self._seq = 0
        self._gone = 0  # the last one that was dropped before its time
        self._news: asyncio.Event | None = None  # there while somebody waits
        self._listeners: list[Callable[[Event], None]] = []
        self._closed = False

    def emit(self, kind: str, data: dict[str, Any] | Struct, record: str | None = None) -> None:
        """Add an event. Called on the event loop only. data: a wire shape is encoded when somebody reads it."""
        self._seq += 1
        event = Event(self._seq, self._clock.now(), kind, data, record)
        self._events.append(event)
        self._wake()
        for listener in list(self._listeners):
            try:
                listener(event)
            except (OSError, ValueError):  # a terminal that is gone; nobody else shall pay for it
                self._listeners.remove(listener)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with each event from now on."""
        self._listeners.append(listener)

    def forget(self, before: datetime) -> None:
        """Drop what was told of single requests until then. Who had not read it gets the full state."""
        gone = {event.seq for event in self._events if event.record is not None and event.at < before}
        self._gone = max(gone, default=self._gone)
        self._events = deque((event for event in self._events if event.seq not in gone), maxlen=self._events.maxlen)

    async def read(self, since: int | None, wait_s: float) -> Events:
        """Events after `since`, waiting up to `wait_s` for one.

        Without `since`, after a restart, or from further back than the ring reaches or than what was forgotten, the first
        event is a `state` that carries everything, so that a watcher never polls first and misses a change.
        """
        if since == self._seq and wait_s > 0 and not self._closed:
            news = self._news = self._news or asyncio.Event()
            try:
                async with asyncio.timeout(wait_s):
                    await news.wait()
            except TimeoutError:
                pass
        oldest = self._events[0].seq if self._events else self._seq + 1
        if since is None or since > self._seq or since < max(oldest - 1, self._gone):
            seq = self._seq  # a change while the state is put together comes again as an event: never lost, maybe twice
            return Events(seq, (Event(seq, self._clock.now(), "state", await self._state()),))
        fresh = tuple(event for event in self._events if event.seq > since)
        return Events(self._seq, fresh)

    def close(self) -> None:
        """Send every waiting watcher home, so that a stop does not wait for them."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = None

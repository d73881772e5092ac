"""The last lines of the daemon's own log, for who watches; what a line may say is `crashes.Wordless`'s business."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from daemon.clock import Clock
from daemon.crashes import Wordless
from daemon.wire import LogLine

CAPACITY: Final = 2000
OURS: Final = "nearloop"


class LogRing(logging.Handler):
    """Enter `listening` to have lines kept: warnings of everybody, and of our own parts also what they merely tell.

    tell: called on the event loop when there are new lines, once for those that come together.
    """

    def __init__(self, clock: Clock, tell: Callable[[], None], capacity: int = CAPACITY) -> None:
        super().__init__()
        self.setFormatter(Wordless("%(message)s"))
        self._clock = clock
        self._tell = tell
        self._lines: deque[LogLine] = deque(maxlen=capacity)
        self._count = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._telling = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Keep lines until the block ends."""
        self._loop = asyncio.get_running_loop()
        ours, root = logging.getLogger(OURS), logging.getLogger()
        before = ours.level
        others = [(handler, handler.level) for handler in root.handlers]
        for handler, level in others:  # what goes to the terminal or the file stays as it was
            handler.setLevel(max(level, root.level))
        ours.setLevel(logging.INFO)
        root.addHandler(self)
        try:
            yield
        finally:
            root.removeHandler(self)
            ours.setLevel(before)
            for handler, level in others:
                handler.setLevel(level)
            self._loop = None

    def emit(self, record: logging.LogRecord) -> None:
        """Of any thread; `logging` holds this handler's lock meanwhile."""
        self._count += 1
        # exc_text: how another handler wrote an exception, with its words
        text = self.format(logging.makeLogRecord({**vars(record), "exc_text": None}))
        self._lines.append(LogLine(self._count, self._clock.now(), record.levelname.lower(), record.name, text))
        if self._loop is not None and not self._telling:
            self._telling = True
            self._loop.call_soon_threadsafe(self._told)

    def _told(self) -> None:
        self._telling = False
        self._tell()

    def last(self, limit: int) -> tuple[LogLine, ...]:
        """So many lines, the oldest first."""
        self.acquire()
        try:
            return tuple(self._lines)[-limit:]
        finally:
            self.release()

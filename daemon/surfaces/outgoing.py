"""A streamed answer on its way to the client.

The status line goes out with the first frame, so an error until then can still be an HTTP status. A client or proxy gives up
on a connection that is silent, so a heartbeat goes out whenever nothing was written for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Final, Self

from litestar.types import Send

from daemon.surfaces.hang_up import end

FLUSH_S: Final = 0.001
"""The event loop sends what was written at the end of its round. A burst of deltas is one round, so it is cut by time."""
Headers = Iterable[tuple[bytes, bytes]]
_LINE_ENDS: Final = {b"\xc2\x85": b"\\u0085", b"\xe2\x80\xa8": b"\\u2028", b"\xe2\x80\xa9": b"\\u2029"}
"""Characters that stand for themselves in JSON, and end a line for whoever reads lines of text, as httpx does and with it
Ollama's official client; and their escapes in JSON.
"""


def on_one_line(frame: bytes) -> bytes:
    """A frame of JSON, without what some readers take for the end of a line."""
    if b"\xe2\x80" in frame or b"\xc2\x85" in frame:
        for raw, escaped in _LINE_ENDS.items():
            frame = frame.replace(raw, escaped)
    return frame


class Outgoing:
    """One such answer, for as long as its context is open.

    head: the headers, asked for when they go out. heartbeat: a frame that clients skip; sent when nothing was written for
    `first_s` at the start, or for `beat_s` later.
    """

    def __init__(
        self, send: Send, head: Callable[[], Headers], heartbeat: Callable[[], bytes], first_s: float, beat_s: float
    ) -> None:
        self._send: Callable[[Any], Any] = send
        self._head = head
        self._heartbeat = heartbeat
        self._first_s = first_s
        self._beat_s = beat_s
        self._one_at_a_time = asyncio.Lock()
        self._beating: asyncio.Task[None] | None = None
        self.started = False
        """Whether the status line is out."""

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._written_at = self._loop.time()
        self._flushed_at = float("-inf")
        self._timer = self._loop.call_later(self._first_s, self._begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_beating()
        if self._beating:
            await end(self._beating)

    async def write(self, frame: bytes) -> None:
        """Send a frame. Waits while the client reads slowly."""
        async with self._one_at_a_time:
            await self._write(frame, more=True)
        if self._written_at - self._flushed_at >= FLUSH_S:
            await asyncio.sleep(0)
            self._flushed_at = self._loop.time()

    async def end(self, frame: bytes) -> None:
        """Send the last frame."""
        self._stop_beating()
        async with self._one_at_a_time:
            await self._write(frame, more=False)

    async def _write(self, frame: bytes, more: bool) -> None:
        if not self.started:
            self.started = True
            await self._send({"type": "http.response.start", "status": 200, "headers": list(self._head())})
        await self._send({"type": "http.response.body", "body": on_one_line(frame), "more_body": more})
        self._written_at = self._loop.time()

    def _begin(self) -> None:
        self._beating = self._loop.create_task(self._beat())

    async def _beat(self) -> None:
        while True:
            silent_s = self._beat_s if self.started else self._first_s
            left_s = self._written_at + silent_s - self._loop.time()
            if left_s <= 0:
                await self.write(self._heartbeat())
            else:
                await asyncio.sleep(left_s)

    def _stop_beating(self) -> None:
        self._timer.cancel()
        if self._beating:
            self._beating.cancel()

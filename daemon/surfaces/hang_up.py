"""The watch over a client that may go away while its answer is made."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any, Final, Self

from litestar.types import Receive

LATE_S: Final = 0.05
"""When the watch begins. Most of what answers sooner would pay more for a watch than it could save."""


class HungUp(Exception):
    """The client went away: nobody reads an answer any more."""


class Watch:
    """Inside it, the current task is cancelled when the client hangs up, and HungUp raised once it has ended.

    receive: the connection's, with nothing of a body left in it.
    """

    def __init__(self, receive: Receive, late_s: float = LATE_S) -> None:
        self._receive = receive
        self._late_s = late_s
        self._watching: asyncio.Task[None] | None = None
        self._gone = False

    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        assert task
        self._task, self._cancelling = task, task.cancelling()
        self._timer = asyncio.get_running_loop().call_later(self._late_s, self._begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._watching:
            await end(self._watching)
        if self._gone and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise HungUp from error

    def _begin(self) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._task.cancel()


async def end(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait until it is over, whatever it says."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await task

"""A hedge: a call of whoever stands behind a draft, begun before it is known whether it will be needed.

It costs what it costs, so it is made only where the user allows it and the draft would not pass as it stands. Its first
words are waited for beside the draft; the rest is read only once it has won.
"""

from __future__ import annotations

import asyncio

from daemon.decision.rules import Candidate
from daemon.loopers.base import Ask
from providers.contract import Delta, Deltas, Progress


class Hedge:
    """At most one call. Whoever made it closes it."""

    def __init__(self, candidate: Candidate | None) -> None:
        """candidate: whom it would ask; None: nobody."""
        self._candidate = candidate
        self._deltas: Deltas | None = None
        self._first: asyncio.Task[Delta | None] | None = None

    @property
    def begun(self) -> bool:
        """Whether there is a call."""
        return self._first is not None

    def open(self, ask: Ask) -> None:
        """Begin the call if it may be made; more than once is fine."""
        if self._candidate is None or self._first is not None:
            return
        self._deltas = ask.hedge(self._candidate)
        if self._deltas is not None:
            self._first = asyncio.create_task(_first_words(self._deltas), name="hedge")

    def taken(self, candidate: Candidate) -> Deltas | None:
        """The call, if one was begun to this candidate; from here on it is the reader's, who closes it."""
        return self._answer() if self._first is not None and candidate == self._candidate else None

    async def close(self) -> None:
        """It is not needed, or not any more."""
        if self._first is not None:
            self._first.cancel()
            await asyncio.gather(self._first, return_exceptions=True)
        if self._deltas is not None:
            await self._deltas.aclose()

    async def _answer(self) -> Deltas:
        assert self._first is not None
        assert self._deltas is not None
        first = await self._first
        if first is not None:
            yield first
        async for delta in self._deltas:
            yield delta


async def _first_words(deltas: Deltas) -> Delta | None:
    """None if it ends without any."""
    async for delta in deltas:
        if not isinstance(delta, Progress):
            return delta
    return None

"""A provider's keys as the provider asks for them: which one is used now, and which one when that is refused.

They are tried in the order of the settings. One that was rejected, or whose account is empty, is out for REJECTED_S; one
that is rate limited for as long as its Retry-After says; one that is missing for MISSING_S. When all are out, the one that
is free first is used all the same, so that one key alone is asked for whenever somebody asks. Who is refused is looked for
again at once: if the user has put another key there meanwhile, the next call has that one, without a restart.

A keyring may take its time to fail: nobody waits for it twice at once, and when it failed no other key of it is asked for in
the same breath.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final, Literal

from daemon import secrets
from daemon.clock import Clock, SystemClock
from daemon.errors import NearloopError
from daemon.wire import KeyInfo
from providers.contract import Key, KeyRejected, ProviderError, RateLimited

REJECTED_S: Final = 300.0
MISSING_S: Final = 30.0
LEAST_S: Final = 1.0
"""A limit that is over at once is no reason to come back in the same moment."""


class _Held:
    """One key. known: None: to be read; (None,): none is needed. out_until: of the monotonic clock."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.known: tuple[Key | None] | None = None
        self.out_until = 0.0
        self.limited = False
        self.failure: NearloopError | None = None
        self.looked_at = 0.0
        self.used_at: datetime | None = None
        self.refused_at: datetime | None = None
        self.refusal: str | None = None


class StoredKeys:
    """All keys of one provider. Belongs to one event loop."""

    def __init__(
        self,
        provider: str,
        sources: tuple[str, ...],
        place: Literal["device", "lan", "cloud"],
        clock: Clock | None = None,
    ) -> None:
        self._provider, self._place = provider, place
        self._clock = clock or SystemClock()
        self._all = [_Held(source) for source in sources]
        self._looking = asyncio.Lock()

    @property
    def sources(self) -> tuple[str, ...]:
        """In their order."""
        return tuple(held.source for held in self._all)

    def take(self, sources: tuple[str, ...]) -> None:
        """The settings name these now. What is known of those that stay is kept."""
        before = {held.source: held for held in self._all}
        self._all = [before.get(source) or _Held(source) for source in sources]

    def forget(self) -> None:
        """All of them may have changed."""
        for held in self._all:
            held.known, held.failure, held.out_until, held.limited = None, None, 0.0, False

    async def read(self) -> Key | None:
        """The one to use now. None: it needs none. Raises KeyRejected with the remedy of the first one that is missing."""
        return await self._first(sorted(self._all, key=self._free_at))

    async def _first(self, order: list[_Held]) -> Key | None:
        silent, missing = False, ""
        for held in order:
            if silent and secrets.in_keyring(held.source):
                continue
            try:
                return await self._look(held)
            except NearloopError as error:
                missing = missing or str(error)
                silent = silent or isinstance(error, secrets.KeyringFailed)
        raise KeyRejected(missing or f"{self._provider} has no key: `nearloop key set {self._provider}` stores one")

    def _free_at(self, held: _Held) -> float:
        return held.out_until if held.out_until > self._clock.monotonic() else 0.0

    def _is_free(self, held: _Held) -> bool:
        return self._free_at(held) == 0.0

    async def _look(self, held: _Held, anew: bool = False) -> Key | None:
        """Read it off the loop, unless it is known. Raises NoKey, KeyringFailed."""
        wanted_at = self._clock.monotonic()
        if held.known is not None and not anew:
            return held.known[0]
        async with self._looking:
            if held.looked_at > wanted_at:  # somebody else looked while we waited
                if held.failure is not None:
                    raise type(held.failure)(str(held.failure))
                if held.known is not None:
                    return held.known[0]
            try:
                key = await asyncio.to_thread(secrets.read, self._provider, held.source, self._place)
            except NearloopError as error:
                held.failure = error
                if held.known is None or not isinstance(error, secrets.KeyringFailed):  # a locked one loses nothing
                    held.known, held.out_until = None, self._clock.monotonic() + MISSING_S
                raise
            finally:
                held.looked_at = self._clock.monotonic()
            if not _same(held, key) or held.failure is not None:
                held.out_until = 0.0
            held.known, held.failure = (key,), None
            return key

    def served(self, key: Key | None) -> None:
        """It was taken."""
        if (held := self._of(key)) is not None:
            held.used_at = self._clock.now()
            if _same(held, key):
                held.out_until = 0.0

    async def refused(self, key: Key | None, problem: ProviderError) -> ProviderError:
        """As KeySource says. Other problems than a key's own change nothing."""
        held = self._of(key)
        if held is None or not isinstance(problem, KeyRejected | RateLimited):
            return problem
        held.refused_at, held.refusal = self._clock.now(), type(problem).__name__
        held.limited = isinstance(problem, RateLimited)
        if isinstance(problem, RateLimited):
            held.out_until = self._clock.monotonic() + max(problem.retry_after_s, LEAST_S)
        elif await self._was_replaced(held, key):
            problem.another_key = True
            return problem
        else:
            held.out_until = self._clock.monotonic() + REJECTED_S
        if await self._another(held):
            problem.another_key = True
            return problem
        limited = [each.out_until for each in self._all if each.limited and not self._is_free(each)]
        if not limited:
            return problem
        wait_s = max(0.0, min(limited) - self._clock.monotonic())
        if isinstance(problem, RateLimited):
            problem.retry_after_s = min(problem.retry_after_s, wait_s)
            return problem
        return RateLimited(f"{self._provider} wants fewer requests with one key, and refuses another", wait_s)

    async def _was_replaced(self, held: _Held, key: Key | None) -> bool:
        """Whether another key is there now than the one that was refused."""
        if held.known is not None and not _same(held, key):
            return True
        try:
            await self._look(held, anew=True)
        except NearloopError:
            return False
        if _same(held, key):
            return False
        held.out_until = 0.0
        return True

    async def _another(self, but: _Held) -> bool:
        """Whether there is one that is free, and can be had."""
        for held in self._all:
            if held is not but and self._is_free(held):
                try:
                    await self._look(held)
                except NearloopError:
                    continue
                return True
        return False

    def _of(self, key: Key | None) -> _Held | None:
        label = key.label if key is not None else "none"
        return next((held for held in self._all if held.source == label), None)

    async def info(self) -> tuple[KeyInfo, ...]:
        """All of them, looked for anew, for everybody who shows them."""
        silent: NearloopError | None = None
        told = []
        for held in self._all:
            trouble = silent if silent is not None and secrets.in_keyring(held.source) else None
            if trouble is None:
                try:
                    await self._look(held, anew=True)
                except NearloopError as error:
                    trouble = error
                    silent = error if isinstance(error, secrets.KeyringFailed) else silent
            told.append(self._info(held, trouble))
        return tuple(told)

    def _info(self, held: _Held, trouble: NearloopError | None) -> KeyInfo:
        wait_s = held.out_until - self._clock.monotonic()
        return KeyInfo(
            held.source,
            None if trouble is None else str(trouble),
            secrets.caution(held.source),
            held.used_at,
            held.refused_at,
            held.refusal,
            round(wait_s, 1) if wait_s > 0 and trouble is None else None,
        )


def _same(held: _Held, key: Key | None) -> bool:
    known = held.known[0] if held.known is not None else None
    if known is None or key is None:
        return known is key
    return known.reveal() == key.reveal()

"""The gate before one provider: how many may be asked at once, who is next, and whether it may be asked now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from daemon.fair_queue import FairQueue, Place
from daemon.upstreams.standing import Rest, Standing
from providers.contract import NoCredit, Overloaded, ProviderError, RateLimited, Unreachable

LATER_SHARE: Final = 0.1
"""Who waits for a limit to be free again comes up to so much later, each by chance, and at least a little."""
LEAST_LATER_S: Final = 0.01
LOOK_S: Final = 1.0
"""When to come back while a trial runs."""


class Turn:
    """A slot of one provider's, for one attempt. Leaving it frees the slot, and ends the trial if it was one."""

    def __init__(self, place: Place, standing: Standing, model: str, trial: bool) -> None:
        self._place = place
        self._standing = standing
        self._model = model
        self._trial = trial
        self._told = False

    def worked(self) -> None:
        """The answer began. Said again with each piece of it, it costs nothing."""
        if not self._told:
            self._told = True
            self._standing.worked()

    def failed(self, problem: ProviderError) -> None:
        """What it ended with."""
        self._told = True
        self._standing.failed(self._model, problem)
        if self._trial:
            self._standing.over()

    def leave(self) -> None:
        """It is over, however."""
        self._place.leave()
        if self._trial and not self._told:
            self._standing.over()


class Gate:
    """Of one provider. concurrent: how many may be asked at once. queue: how many more may wait. offline: whether no network
    leads there. now: of the monotonic clock; draw: in [0, 1).
    """

    def __init__(
        self,
        name: str,
        concurrent: int,
        queue: int,
        standing: Standing,
        offline: Callable[[], bool],
        now: Callable[[], float],
        draw: Callable[[], float],
    ) -> None:
        self.name = name
        self.concurrent = concurrent
        self.standing = standing
        self._offline = offline
        self._now = now
        self._draw = draw
        self.queue = FairQueue(queue)
        self.queue.open(concurrent)

    def away(self, model: str) -> Rest | None:
        """What keeps it from being asked now."""
        if self._offline():
            return Rest("offline", None)
        return self.standing.rest(model)

    async def enter(self, model: str, client: str, until: float | None, waits_until: float) -> Turn:
        """A turn, once it comes. until: of the event loop's time, how long to stand in line at most. waits_until: of the
        monotonic clock, how long to wait at most for what the provider said of when to come back.

        Raises RateLimited, Unreachable, NoCredit, Overloaded without asking anybody.
        """
        while True:
            if (rest := self.away(model)) is not None:
                await self._wait_out(rest, model, waits_until)
                continue
            place = self.queue.enter(client)
            try:
                await place.comes(until)
                if self.away(model) is None:
                    return Turn(place, self.standing, model, self.standing.begin())
            except Overloaded as full:
                place.leave()
                raise self._full(full) from None
            except BaseException:
                place.leave()
                raise
            place.leave()

    async def _wait_out(self, rest: Rest, model: str, waits_until: float) -> None:
        """Until a limit is free again, if that is soon enough."""
        now = self._now()
        if rest.reason == "limited" and rest.ends is not None:
            left_s = rest.ends - now
            later_s = max(LEAST_LATER_S, left_s * LATER_SHARE * self._draw())
            if now + left_s + later_s <= waits_until:
                await asyncio.sleep(left_s + later_s)
                return
        raise self.refusal(rest, model)

    def refusal(self, rest: Rest, model: str) -> ProviderError:
        """Why it isn't asked, for whoever asked for it. Asking again at once is no use."""
        left_s = max(0.0, rest.ends - self._now()) if rest.ends is not None else LOOK_S
        problem: ProviderError
        match rest.reason:
            case "limited":
                problem = RateLimited(f"{self.name} wants no request for this model for {left_s:.0f} s more", left_s)
            case "no-credit":
                problem = NoCredit(
                    f"{self.name} has no credit left and isn't asked until that changes: look at its billing page, then "
                    f"`nearloop provider test {self.name}`"
                )
            case "offline":
                problem = Unreachable(f"no network leads to {self.name}: check this machine's network", None)
            case "down":
                problem = Unreachable(
                    f"{self.name} failed {self.standing.failures} times in a row and is asked again in {left_s:.0f} s: "
                    f"`nearloop provider test {self.name}` asks it now",
                    left_s,
                )
        problem.again = False
        return problem

    def _full(self, full: Overloaded) -> Overloaded:
        running, waiting = self.queue.running, self.queue.waiting
        problem = Overloaded(
            f"{running} requests are at {self.name} and {waiting} wait for it: try again later, or raise `concurrent` "
            f"under [providers.{self.name}] in settings.toml",
            full.retry_after_s,
        )
        problem.again = False
        return problem

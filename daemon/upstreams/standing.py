"""How a provider stands: whether it may be asked now, by what it said and did before; no I/O.

Theory of operation. Three things keep a provider from being asked. A limit of calls that is used up, or no room, rests the
model that was asked until the time that the provider named: limits are counted by model. A row of failures, which is what
nobody answers and what answers with a 5xx, takes the whole provider out (the circuit breaker is open); when its time is
over, one real request is let through, and the next ones when that one has got its first word. Each failed trial doubles the
time, up to what its place is worth: a server on this machine is back as soon as it is started. An empty account takes it out
as well, until its key or its settings change, somebody tests it, or a trial a quarter of an hour later. All times are drawn
a little apart, so that machines that were sent away together don't come back together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from providers.cleared import Place
from providers.contract import (
    KeyRejected,
    NoCredit,
    NotCleared,
    NotWitnessed,
    Overloaded,
    ProviderError,
    RateLimited,
    Unreachable,
)

Reason = Literal["limited", "down", "no-credit", "offline"]
OPENS_AFTER: Final = 5
"""So many failures in a row: more than one request makes by itself."""
OPENS_WITHIN_S: Final = 1.0
"""And at least for so long: what befalls many requests at one moment is no outage."""
FIRST_S: Final = 1.0
LONGEST_S: Final = {Place.DEVICE: 2.0, Place.LAN: 15.0, Place.CLOUD: 60.0}
NO_CREDIT_S: Final = 900.0


class Rest(Struct, frozen=True):
    """Why it isn't asked now. ends: of the monotonic clock, when it may be asked again; None: when the trial is over that
    runs now, or there is a network.
    """

    reason: Reason
    ends: float | None


class Standing:
    """Of one provider. now: of the monotonic clock. draw: in [0, 1). changed: told whenever it goes out or comes back.
    opens_within_s: how long a row of failures has to last.
    """

    def __init__(
        self,
        place: Place,
        now: Callable[[], float],
        draw: Callable[[], float],
        changed: Callable[[], None],
        opens_within_s: float = OPENS_WITHIN_S,
    ) -> None:
        self._opens_within_s = opens_within_s
        self._failing_since = 0.0
        self._longest_s = LONGEST_S[place]
        self._now = now
        self._draw = draw
        self._changed = changed
        self._limits: dict[str, float] = {}
        """When a model may be asked again."""
        self._out: Literal["down", "no-credit"] | None = None
        self._until = 0.0
        self._opened = 0
        """So many times in a row, without an answer between."""
        self._trying = False
        self.failures = 0
        """In a row."""

    def rest(self, model: str) -> Rest | None:
        """What keeps a model from being asked now."""
        now = self._now()
        if self._out is not None:
            if now < self._until:
                return Rest(self._out, self._until)
            if self._trying:
                return Rest(self._out, None)
        return self._limit(model, now)

    @property
    def resting(self) -> Rest | None:
        """What keeps it from being asked now, whichever model: for whoever looks at it."""
        now = self._now()
        if self._out is not None:
            return Rest(self._out, self._until if now < self._until else None)
        limits = [ends for ends in self._limits.values() if ends > now]
        return Rest("limited", max(limits)) if limits else None

    def limited(self, more_than_s: float = 0.0) -> tuple[str, ...]:
        """The models that rest by themselves, for more than so long."""
        now = self._now() + more_than_s
        return tuple(model for model, ends in self._limits.items() if ends > now)

    def _limit(self, model: str, now: float) -> Rest | None:
        if (ends := self._limits.get(model)) is None:
            return None
        if ends > now:
            return Rest("limited", ends)
        del self._limits[model]
        return None

    # -- what it did

    def begin(self) -> bool:
        """It is asked now, which `rest` allowed; whether that is the trial."""
        if self._out is None:
            return False
        self._trying = True
        return True

    def over(self) -> None:
        """The trial is over, however: without a word of how it went, the next one may try."""
        self._trying = False

    def worked(self) -> None:
        """An answer began."""
        self.failures = self._opened = 0
        self._come_back()

    def used_up(self, model: str, seconds: float) -> None:
        """It said that the next call will be one too many, until then."""
        ends = self._now() + seconds
        if seconds > 0 and ends > self._limits.get(model, 0.0):
            before = self._limit(model, self._now())
            self._limits[model] = ends
            if before is None:
                self._changed()

    def failed(self, model: str, problem: ProviderError) -> None:
        """What an attempt ended with."""
        match problem:
            case NotCleared() | NotWitnessed():
                return  # ours
            case NoCredit():
                self._go_out("no-credit", NO_CREDIT_S)
            case RateLimited():
                self._is_there()
                self.used_up(model, problem.retry_after_s)
            case Overloaded():
                self.used_up(model, problem.retry_after_s)
                self._failed()
            case Unreachable():
                self._failed()
            case KeyRejected():
                self._is_there()
            case _:
                self._is_there()  # whatever it said, it said something

    def _is_there(self) -> None:
        self.failures = 0
        if self._out == "down":
            self._opened = 0
            self._come_back()

    def _failed(self) -> None:
        now = self._now()
        self._failing_since = self._failing_since if self.failures else now
        self.failures += 1
        if self._out == "no-credit":
            return
        lasts = self.failures >= OPENS_AFTER and now - self._failing_since >= self._opens_within_s
        if self._trying or (self._out is None and lasts):
            self._opened += 1
            back_off_s = min(self._longest_s, FIRST_S * 2 ** (self._opened - 1))
            self._go_out("down", back_off_s * (0.5 + 0.5 * self._draw()))

    def _go_out(self, reason: Literal["down", "no-credit"], seconds: float) -> None:
        self._out, self._until, self._trying = reason, self._now() + seconds, False
        self._changed()

    def _come_back(self) -> None:
        self._trying = False
        if self._out is not None:
            self._out = None
            self._changed()

    # -- what else happened

    def renew(self) -> None:
        """Its key or its settings changed, or somebody tested it and it answered: it is as new."""
        rested = bool(self._limits)
        self._limits.clear()
        self.failures = self._opened = 0
        self._come_back()
        if rested:
            self._changed()

    def look_again(self, slept_s: float = 0.0) -> None:
        """The machine is on another network, or was asleep so long, which the clock doesn't know: what failed may work."""
        self.failures = self._opened = 0
        if self._out == "down":
            self._until = self._now()
        if slept_s:
            self._until -= slept_s
            self._limits = {model: ends - slept_s for model, ends in self._limits.items()}

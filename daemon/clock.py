"""The clock that everything in the daemon is given, so that tests can hold it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for people, monotonic time for durations."""

    def now(self) -> datetime:
        """The time of day, UTC-aware."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class Moment:
    """When it was, for how old it is: one clock stands still while a machine sleeps, the other may be set back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._monotonic, self._now = clock.monotonic(), clock.now()

    @property
    def age_s(self) -> float:
        """Seconds since, by the clock that says more."""
        return max(self._clock.monotonic() - self._monotonic, (self._clock.now() - self._now).total_seconds())

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

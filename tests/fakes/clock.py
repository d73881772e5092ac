"""A clock that stands still."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class HeldClock:
    """Starts at a fixed moment and moves by `advance` alone."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        self._monotonic = 1000.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Move on."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    def sleep(self, seconds: float) -> None:
        """As a machine whose lid is closed; or, if `seconds` are below 0, as one whose time is set back."""
        self._now += timedelta(seconds=seconds)

"""This machine's days and months."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta

import pytest

from daemon.money.days import begins_at, day_of, ends_at


def test_days_end_where_clocks_are_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day has 25 hours then, a month as much more; the day is this machine's, not Greenwich's."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert day_of(datetime(2026, 10, 24, 22, 30, tzinfo=UTC)) == date(2026, 10, 25)
        assert ends_at(date(2026, 10, 25), "day") - begins_at(date(2026, 10, 25)) == timedelta(hours=25)
        assert ends_at(date(2026, 10, 3), "month") == datetime(2026, 10, 31, 23, tzinfo=UTC)
        assert ends_at(date(2026, 12, 31), "month") == datetime(2026, 12, 31, 23, tzinfo=UTC)
        assert ends_at(date(2026, 1, 31), "month") == datetime(2026, 1, 31, 23, tzinfo=UTC)
    finally:
        monkeypatch.undo()
        time.tzset()

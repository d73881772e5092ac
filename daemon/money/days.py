"""This machine's days and months, from midnight to midnight: of 23 or 25 hours where clocks are turned."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Literal


def day_of(at: datetime) -> date:
    """The day in which a moment lies, here."""
    return at.astimezone().date()


def begins_at(day: date) -> datetime:
    """A day's midnight."""
    return datetime.combine(day, time()).astimezone()


def ends_at(day: date, period: Literal["day", "month"]) -> datetime:
    """When the next day, or the next month, begins."""
    if period == "day":
        return begins_at(day + timedelta(days=1))
    return begins_at((day.replace(day=28) + timedelta(days=4)).replace(day=1))

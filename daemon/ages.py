"""Spans and moments of time as people write them: `90s`, `15m`, `12h`, `7d`, `2026-11-30`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from daemon.errors import BadRequest

_EARLIEST: Final = datetime(1, 1, 2, tzinfo=UTC)
_AGE: Final = re.compile(r"(\d{1,6})([smhd])")
_UNIT: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def age(text: str, parameter: str) -> timedelta:
    """The duration. Raises BadRequest."""
    found = _AGE.fullmatch(text)
    if not found:
        raise BadRequest("a time span is a number and s, m, h or d, for example 12h", parameter)
    return timedelta(**{_UNIT[found[2]]: int(found[1])})


def moment(text: str, now: datetime, parameter: str) -> datetime:
    """An age before now, or a date such as 2026-11-30 or 2026-11-30T12:00, in local time. Raises BadRequest."""
    if _AGE.fullmatch(text):
        span = age(text, parameter)
        return now - span if span < now - _EARLIEST else _EARLIEST
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise BadRequest(
            "say since when, as an age (12h, 7d) or a date (2026-11-30, 2026-11-30T12:00)", parameter
        ) from error

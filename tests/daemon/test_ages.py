"""Spans of time as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from daemon.ages import age, moment
from daemon.errors import BadRequest


def test_units() -> None:
    """Seconds, minutes, hours and days."""
    assert age("90s", "since") == timedelta(seconds=90)
    assert age("15m", "since") == timedelta(minutes=15)
    assert age("12h", "since") == timedelta(hours=12)
    assert age("7d", "since") == timedelta(days=7)


@pytest.mark.parametrize("text", ["", "7", "d", "-1d", "1.5h", "7 d", "7w", "9999999d"])
def test_what_is_none(text: str) -> None:
    """Anything else is refused, with the parameter's name and without the text."""
    with pytest.raises(BadRequest, match="for example 12h") as refused:
        age(text, "since")
    assert refused.value.parameter == "since"


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "7", "-1d", "1w", "9999999d", "yesterday", "2026-13-01", "2026-11-31"])
def test_what_is_no_moment(text: str) -> None:
    """It is refused with examples, and names the parameter."""
    with pytest.raises(BadRequest, match="12h") as caught:
        moment(text, NOW, "since")
    assert caught.value.parameter == "since"


def test_moments() -> None:
    """An age ago, or a date, in local time where it names no zone; the beginning of time if that is nearer."""
    assert moment("7d", NOW, "since") == NOW - timedelta(7)
    assert moment("2026-11-29", NOW, "since") == datetime(2026, 11, 29).astimezone()
    assert moment("2026-11-29T10:00+00:00", NOW, "since") == datetime(2026, 11, 29, 10, tzinfo=UTC)
    assert moment("999999d", NOW, "since").year == 1

"""Spans of time as people write them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.ages import age
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

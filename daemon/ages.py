"""Spans of time as people write them: `90s`, `15m`, `12h`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from daemon.errors import BadRequest

_AGE: Final = re.compile(r"(\d{1,6})([smhd])")
_UNIT: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def age(text: str, parameter: str) -> timedelta:
    """The duration. Raises BadRequest."""
    found = _AGE.fullmatch(text)
    if not found:
        raise BadRequest("a time span is a number and s, m, h or d, for example 12h", parameter)
    return timedelta(**{_UNIT[found[2]]: int(found[1])})

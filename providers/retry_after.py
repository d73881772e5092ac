"""When a provider wants to be asked again, by the headers of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST_WAIT_S: Final = 86_400.0
_UNITS_S: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_STEP: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_CALLS_LEFT: Final = {
    "x-ratelimit-remaining-requests": True,
    "anthropic-ratelimit-requests-remaining": True,
    "x-ratelimit-remaining": False,
    "ratelimit-remaining": False,
}
"""Headers that say how many calls are left, and whether the limit is filled up steadily."""
_LATER_THAN_ANY_WAIT: Final = 1e9
"""A plain number over it is a Unix time, in seconds; over its thousandfold, in milliseconds."""


def retry_after_s(headers: Mapping[str, str], now: datetime, limited: bool = False) -> float | None:
    """When to come back, by `retry-after-ms`, or `retry-after` in seconds or as a date. None if it isn't said.

    limited: a limit is used up, and without these the one that is free again last counts.
    """
    told = _told_s(headers, now)
    return max(_resets_s(headers, now), default=None) if told is None and limited else told


def used_up_s(headers: Mapping[str, str]) -> float | None:
    """For how long there is no call left, by an answer that was still given; None if there is one.

    Of calls only: how many tokens the next one takes is not known here. OpenAI and Anthropic fill limits up steadily and
    name the time when all of one is back, so a single call is back after its share of that; others count anew then.
    """
    for name, steadily in _CALLS_LEFT.items():
        if headers.get(name, "").strip() != "0":
            continue
        seconds = _until_s(headers.get(name.replace("remaining", "reset"), "").strip(), datetime.now(UTC))
        if seconds is None:
            continue
        limit = headers.get(name.replace("remaining", "limit"), "").strip()
        share = int(limit) if steadily and re.fullmatch(r"[1-9]\d{0,8}", limit) else 1
        return min(max(seconds, 0.0), LONGEST_WAIT_S) / share
    return None


def _told_s(headers: Mapping[str, str], now: datetime) -> float | None:
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,12}(\.\d{0,6})?", value):
            return min(float(value) * unit_s, LONGEST_WAIT_S)
    try:
        at: datetime | None = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if at is None:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max((at - now).total_seconds(), 0.0), LONGEST_WAIT_S)


def _resets_s(headers: Mapping[str, str], now: datetime) -> Iterator[float]:
    """When each limit that is used up is free again, by the headers of OpenAI, Anthropic and those who followed them."""
    for name, left in headers.items():
        lowered = name.lower()
        if "ratelimit" not in lowered or "remaining" not in lowered or left.strip() != "0":
            continue
        seconds = _until_s(headers.get(lowered.replace("remaining", "reset"), "").strip(), now)
        if seconds is not None:
            yield min(max(seconds, 0.0), LONGEST_WAIT_S)


def _until_s(value: str, now: datetime) -> float | None:
    """`6m0s`, `12ms`, a number of seconds, a Unix time, or a date as in RFC 3339. None if it is nothing of these."""
    if re.fullmatch(rf"(?:{_STEP.pattern})+", value):
        return sum(float(number) * _UNITS_S[unit] for number, unit in _STEP.findall(value))
    if re.fullmatch(r"\d{1,15}(\.\d{0,6})?", value):
        seconds = float(value)
        if seconds < _LATER_THAN_ANY_WAIT:
            return seconds
        return (seconds / 1000 if seconds > _LATER_THAN_ANY_WAIT * 1000 else seconds) - now.timestamp()
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds()

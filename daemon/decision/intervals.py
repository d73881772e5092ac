"""Ranges that a number may have, and what holds of them."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from daemon.decision.seen import FALSE, TRUE, UNKNOWN
from daemon.recipes.values import Bounds


class Interval(NamedTuple):
    """Where a number lies. Both ends are the same if it is known."""

    low: float
    high: float


ANYTHING: Final = Interval(-math.inf, math.inf)


def exact_sum(values: list[float]) -> float:
    """Exact; without an end if one of them has none."""
    return next((value for value in values if math.isinf(value)), None) or math.fsum(values)


def holds(bounds: Bounds, interval: Interval) -> int:
    """Whether a number that lies in the interval passes. Bands are convex, so the two ends tell."""
    low, high = bounds.hold(interval.low), bounds.hold(interval.high)
    if low and high:
        return TRUE
    if interval.low == interval.high:
        return FALSE
    floor = max((edge for edge in (bounds.gt, bounds.gte) if edge is not None), default=-math.inf)
    ceiling = min((edge for edge in (bounds.lt, bounds.lte) if edge is not None), default=math.inf)
    below = interval.high < floor or (interval.high == floor and not high)
    above = interval.low > ceiling or (interval.low == ceiling and not low)
    return FALSE if below or above else UNKNOWN


def distance(bounds: Bounds, interval: Interval) -> float:
    """To the nearest edge of the band, from the end of the interval that is nearer; 1 if it has no edge, as upstream."""
    if not bounds.edges:
        return 1.0
    return min(abs(end - edge) for end in interval for edge in bounds.edges)

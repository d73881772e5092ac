"""What holds of a range."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.decision.intervals import Interval, distance, exact_sum, holds
from daemon.decision.seen import FALSE, TRUE, UNKNOWN
from daemon.recipes.values import Bounds

BOUNDS = st.builds(
    Bounds,
    gt=st.none() | st.integers(-3, 3),
    gte=st.none() | st.integers(-3, 3),
    lt=st.none() | st.integers(-3, 3),
    lte=st.none() | st.integers(-3, 3),
)


@given(BOUNDS, st.integers(-4, 4), st.integers(0, 4))
def test_bands_over_ranges(bounds: Bounds, low: int, width: int) -> None:
    """True only if every number of the range passes, false only if none does."""
    truth = holds(bounds, Interval(low, low + width))
    passed = {bounds.hold(low + width * step / 16) for step in range(17)}

    if truth == TRUE:
        assert passed == {True}
    if truth == FALSE:
        assert passed == {False}
    if width == 0:
        assert truth != UNKNOWN


def test_distances() -> None:
    """To the nearest edge; a band without edges is certain."""
    assert distance(Bounds(gte=0.2, lt=0.5), Interval(0.4, 0.4)) == pytest.approx(0.1)
    assert distance(Bounds(), Interval(7, 7)) == 1.0


def test_sums() -> None:
    """Exact, so that no order changes a digit; without an end if a part has none."""
    assert exact_sum([0.1] * 10) == 1.0
    assert exact_sum([1e15, 0.1, -1e15]) == exact_sum([1e15, -1e15, 0.1]) == 0.1
    assert exact_sum([1.0, -math.inf, 2.0]) == -math.inf

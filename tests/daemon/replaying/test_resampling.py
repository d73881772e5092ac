"""Intervals by drawing questions again."""

from __future__ import annotations

import numpy as np
import pytest

from daemon.replaying.resampling import Draws, span


def test_the_interval_of_a_share() -> None:
    """It is about what the normal distribution says, and holds the share itself."""
    found = span(Draws(400, seed=1).means([1.0] * 300 + [0.0] * 100)[0])

    assert found is not None
    assert found.value == 0.75
    width = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert (found.value - found.low, found.high - found.value) == (pytest.approx(width, rel=0.15),) * 2


def test_columns_are_drawn_together() -> None:
    """What differs by one in every question differs by one in every draw; the same seed draws the same."""
    columns = [0.0, 1.0, 5.0], [1.0, 2.0, 6.0]
    first, second = Draws(3, seed=3, resamples=50).means(*columns)

    assert first.shape == (51,)
    assert first[0] == 2.0
    assert np.allclose(second - first, 1)
    assert len(set(first.tolist())) > 5
    assert np.array_equal(first, Draws(3, seed=3, resamples=50).means(*columns)[0])


def test_figures_without_a_value() -> None:
    """Draws in which a figure has none don't count; if it has none as it is, there is no span."""
    nan = float("nan")

    assert span(np.array([nan, 1.0])) is None
    assert span(np.array([1.0, nan])) is None
    found = span(np.array([1.0, nan, 2.0, 2.0]))
    assert found is not None
    assert (found.low, found.high) == (2.0, 2.0)

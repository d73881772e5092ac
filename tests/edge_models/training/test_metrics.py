"""Measures, held to what can be told by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edge_models.training.metrics import auroc, calibration_error, estimate, recall_at, threshold_at

TRUTH = np.array([0, 0, 1, 1.0])


def test_auroc_counts_pairs() -> None:
    """Three of four pairs are in order; ties count half; one class alone is not a number."""
    assert auroc(TRUTH, np.array([0.1, 0.4, 0.35, 0.8])) == 0.75
    assert auroc(TRUTH, np.zeros(4)) == 0.5
    assert auroc(TRUTH, np.array([0, 0, 1, 1.0])) == 1
    assert math.isnan(auroc(np.ones(3), np.arange(3.0)))


def test_a_threshold_lets_no_more_pass() -> None:
    """At most the share of negatives reaches it, ties included."""
    negatives = np.array([0.1] * 90 + [0.7] * 5 + [0.9] * 5)
    for share in (0.01, 0.05, 0.1, 0.5):
        assert (negatives >= threshold_at(share, negatives)).mean() <= share
    assert threshold_at(0.05, negatives) == pytest.approx(0.7, abs=1e-9)
    assert threshold_at(1.0, negatives) == 0


def test_recall_at_a_share_of_false_alarms() -> None:
    """Positives over the highest negative, at no false alarm."""
    assert recall_at(0.0, TRUTH, np.array([0.1, 0.5, 0.4, 0.8])) == 0.5


def test_calibration_error_is_the_gap() -> None:
    """Always 0.9 where half comes true is 0.4 off."""
    truth = np.array([0, 1] * 50, float)
    assert calibration_error(truth, np.full(100, 0.9)) == pytest.approx(0.4)
    assert calibration_error(truth, np.full(100, 0.5)) == pytest.approx(0.0)


def test_intervals_hold_the_value_and_repeat() -> None:
    """The same seed gives the same interval, which holds the value and shrinks with the texts."""
    small, large = (estimate(lambda column: float(column.mean()), [0.0, 1.0] * count) for count in (20, 2000))
    assert small.low < 0.5 < small.high
    assert large.high - large.low < small.high - small.low
    assert small == estimate(lambda column: float(column.mean()), [0.0, 1.0] * 20)
    assert str(large).endswith("n = 4,000")

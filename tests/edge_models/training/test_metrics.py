"""Measures, held to what can be told by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edge_models.training.metrics import (
    auroc,
    calibration_error,
    estimate,
    grouped_estimate,
    recall_at,
    threshold_at,
    upper_bound,
)

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


def test_weights_count_as_rows() -> None:
    """A row of weight 3 is three rows."""
    truth, scores = np.array([1.0, 0, 1]), np.array([0.9, 0.2, 0.4])
    thrice = [0, 0, 0, 1, 2]
    assert calibration_error(truth, scores, np.array([3.0, 1, 1])) == pytest.approx(
        calibration_error(truth[thrice], scores[thrice])
    )


@pytest.mark.parametrize(
    ("hits", "texts", "bound"),
    [(0, 59, 0.0495), (0, 299, 0.00997), (1, 20, 0.2161), (5, 5, 1.0), (0, 0, 1.0), (40, 4000, 0.01301)],
)
def test_a_bound_is_what_the_binomial_leaves_possible(hits: int, texts: int, bound: float) -> None:
    """1 - 0.05^(1/n) without a hit; the last but one from a table of Clopper and Pearson's."""
    assert upper_bound(hits, texts) == pytest.approx(bound, abs=2e-4)


def test_groups_are_drawn_whole() -> None:
    """Ten copies of a row tell no more than the row."""
    values, groups = np.array([0.0, 1, 1, 0, 1, 0]), list("abcdef")
    single = grouped_estimate(lambda v: float(v.mean()), groups, values)
    copied = grouped_estimate(lambda v: float(v.mean()), groups * 10, np.tile(values, 10))
    assert (copied.value, copied.texts) == (single.value, 6)
    assert copied.high - copied.low == pytest.approx(single.high - single.low)
    assert copied.high - copied.low > 0.4

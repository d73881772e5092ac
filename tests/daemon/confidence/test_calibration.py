"""From scores to probabilities."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.confidence.calibration import (
    ISOTONIC_FROM,
    Isotonic,
    Platt,
    brier,
    calibrate,
    expected_error,
    isotonic,
    log_odds,
    platt,
    sigmoid,
)

LABELLED = st.lists(st.tuples(st.floats(-10, 10), st.booleans()), min_size=1, max_size=120)


def drawn(count: int, slope: float, shift: float, seed: int = 1) -> tuple[list[float], list[bool]]:
    chance = Random(seed)
    scores = [chance.gauss(0, 2) for _ in range(count)]
    return scores, [chance.random() < sigmoid(slope * score + shift) for score in scores]


def test_platt_finds_the_sigmoid_that_made_the_labels() -> None:
    """Of 4,000 labels drawn from a known one, slope and shift come back."""
    found = platt(*drawn(4000, 1.3, -0.7))

    assert found.slope == pytest.approx(1.3, abs=0.12)
    assert found.shift == pytest.approx(-0.7, abs=0.12)


def test_platt_is_at_the_minimum() -> None:
    """At its end the slope of the loss is nil: what is stated on average is what came true, up to the smoothing."""
    scores, right = drawn(400, 0.8, 0.3)
    found = platt(scores, right)

    stated = sum(found.probability(score) for score in scores)

    assert stated == pytest.approx(sum(right), abs=1.5)


@given(LABELLED)
def test_no_probability_is_beyond_doubt_and_none_falls(labelled: list[tuple[float, bool]]) -> None:
    """Whatever the labels, a higher score is never less probable, and 0 and 1 are not reached."""
    scores, right = [score for score, _ in labelled], [each for _, each in labelled]

    for found in (platt(scores, right), isotonic(scores, right)):
        stated = [found.probability(score) for score in sorted(scores)]
        assert all(0 < each < 1 for each in stated)
        assert all(low <= high + 1e-12 for low, high in pairwise(stated))


def test_isotonic_pools_neighbours_that_fall() -> None:
    """Two that are in the wrong order become one step, and each step is smoothed by one of both."""
    found = isotonic([1.0, 2.0, 3.0, 4.0], [False, True, False, True])

    assert found == Isotonic((1.0, 2.5, 4.0), (1 / 3, 0.5, 2 / 3))
    assert found.probability(0.0) == 1 / 3
    assert found.probability(9.0) == 2 / 3
    assert found.probability(3.25) == pytest.approx(0.5 + (2 / 3 - 0.5) / 2)


def test_labels_decide_which_form_is_fitted() -> None:
    """Few labels get the sigmoid, many the steps."""
    scores, right = drawn(ISOTONIC_FROM, 1.0, 0.0)

    assert isinstance(calibrate(scores[:-1], right[:-1]), Platt)
    assert isinstance(calibrate(scores, right), Isotonic)


def test_calibration_mends_what_is_off() -> None:
    """Overconfident scores state too much; calibrated on other labels they come true on new ones within 5 %."""
    for count in (150, 1500):
        scores, right = drawn(count, 0.4, -1.0)
        fresh, truth = drawn(4000, 0.4, -1.0, seed=2)
        found = calibrate(scores, right)

        raw = expected_error([sigmoid(score) for score in fresh], truth)
        mended = expected_error([found.probability(score) for score in fresh], truth)

        assert raw > 0.15
        assert mended < 0.06


def test_local_outcomes_move_a_prior_by_their_number() -> None:
    """Nothing seen leaves it; a few wrong answers lower it a little, many lower it to what is true here."""
    prior = Platt(1.0, 0.0)
    few = platt([1.0] * 4, [False] * 4, towards=prior, weight=40)
    many = platt([1.0] * 400, [False, False, False, True] * 100, towards=prior, weight=40)

    assert prior.probability(1.0) > few.probability(1.0) > 0.5
    assert many.probability(1.0) == pytest.approx(0.25, abs=0.03)


@given(st.floats(-8, 8))
def test_one_outcome_moves_a_prior_its_way(score: float) -> None:
    """However improbable an answer was said to be: one that was wrong is not more probable afterwards, one right not less."""
    prior = Platt(1.0, 0.0)

    assert platt([score], [False], towards=prior, weight=40).probability(score) <= prior.probability(score)
    assert platt([score], [True], towards=prior, weight=40).probability(score) >= prior.probability(score)


def test_a_score_that_points_the_wrong_way_is_not_believed() -> None:
    """If higher scores are wrong more often, the share of right answers is all that is stated."""
    found = platt([float(n) for n in range(40)], [n < 20 for n in range(40)])

    assert found.slope == 0
    assert found.probability(39) == found.probability(0) == pytest.approx(0.5, abs=0.02)


def test_measures_by_hand() -> None:
    """One of two right at a stated 0.5 is calibrated; at a stated 0.95 it is off by 0.45."""
    assert expected_error([0.5, 0.5], [True, False]) == 0
    assert expected_error([0.95, 0.95], [True, False]) == pytest.approx(0.45)
    assert brier([1.0, 0.0], [True, True]) == 0.5
    assert log_odds(sigmoid(2.5)) == pytest.approx(2.5)


def test_a_label_counts_as_often_as_it_is_said_to() -> None:
    """Twice is the same as two of it, and nothing the same as none."""
    anchor = Platt(1.0, 0.0)

    twice = platt([1.0, 2.0], [True, False], anchor, 10.0, [2.0, 1.0])

    assert twice.probability(1.5) == pytest.approx(
        platt([1.0, 1.0, 2.0], [True, True, False], anchor, 10.0).probability(1.5)
    )
    assert platt([1.0, 2.0], [True, False], anchor, 10.0, [1.0, 0.0]) == platt([1.0], [True], anchor, 10.0)

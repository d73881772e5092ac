"""A threshold that keeps its promise."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.confidence.guarantee import certify, fewest, holds, upper_bound

ACCEPTED = {  # Trust-or-Escalate's table of how many have to be kept for k wrong ones
    (0.02, 0.05): (149, 236, 313),
    (0.05, 0.05): (59, 93, 124),
    (0.10, 0.05): (29, 46, 61),
    (0.10, 0.10): (22, 38, 52),
}


@pytest.mark.parametrize(("risk", "delta"), ACCEPTED)
def test_how_many_must_be_kept(risk: float, delta: float) -> None:
    """The numbers of kept answers that published tables give are the first for which the bound holds."""
    for wrong, kept in enumerate(ACCEPTED[risk, delta]):
        assert holds(wrong, kept, risk, delta)
        assert not holds(wrong, kept - 1, risk, delta)
    assert fewest(risk, delta) == ACCEPTED[risk, delta][0]


@given(st.integers(0, 40), st.integers(1, 200))
def test_the_bound_is_above_what_was_seen(wrong: int, kept: int) -> None:
    """It lies between the share that was seen and 1, and agrees with the one sum that asks for a given risk."""
    wrong = min(wrong, kept)
    bound = upper_bound(wrong, kept)

    assert wrong / kept <= bound <= 1
    assert holds(wrong, kept, 0.1, 0.05) == (bound <= 0.1)


def test_a_sure_and_right_model_is_certified() -> None:
    """Where high probabilities come true, the laxest threshold that still holds is found."""
    probabilities = [0.95] * 200 + [0.6] * 200
    right = [True] * 200 + [n % 2 == 0 for n in range(200)]

    found = certify(probabilities, right)

    assert found.certified
    assert found.threshold == 0.61
    assert (found.kept, found.wrong) == (200, 0)
    assert found.bound <= 0.05


def test_too_few_labels_are_told_with_how_many_more() -> None:
    """Twenty faultless answers promise nothing; 59 of them would."""
    found = certify([0.9] * 20, [True] * 20)

    assert not found.certified
    assert found.more == 39


def test_a_model_that_is_often_wrong_is_never_certified() -> None:
    """No number of labels helps who is wrong where it is surest, and that is said."""
    found = certify([0.9] * 400, [n % 4 > 0 for n in range(400)])

    assert not found.certified
    assert found.more is None
    assert found.bound > 0.05


def test_nothing_known_promises_nothing() -> None:
    """Without a label there is no threshold, and 59 are needed at least."""
    found = certify([], [])

    assert (found.threshold, found.bound, found.more) == (None, 1.0, 59)


def test_the_promise_is_kept_on_new_answers() -> None:
    """Over 1,000 calibrations on drawn answers, those whose true risk is above 5 % are at most 5 % of all."""
    chance = Random(3)
    violations = certified = 0
    for _ in range(1000):
        probabilities = [chance.random() for _ in range(1200)]
        right = [chance.random() < _truth(each) for each in probabilities]
        found = certify(probabilities, right)
        if found.threshold is not None:
            certified += 1
            violations += _risk(found.threshold) > 0.05

    assert certified > 300
    assert violations / 1000 <= 0.05


def _truth(probability: float) -> float:
    """How often answers with this stated probability are right: less than is said, until near the top."""
    return 1 - 0.35 * (1 - probability) - 0.005


def _risk(threshold: float) -> float:
    """The share of wrong ones at the threshold or above, stated probabilities being evenly spread."""
    return 0.35 * (1 - threshold) / 2 + 0.005

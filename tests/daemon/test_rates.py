"""What an answer would take."""

from __future__ import annotations

import pytest

from daemon.rates import Rates
from providers.contract import Usage


def test_nothing_measured_predicts_nothing() -> None:
    """Without an answer there is no prediction, and short ones measure none."""
    rates = Rates()
    rates.learn(Usage(3, 3), 0.1, 0.1)

    assert rates.predict_s(1000, 100) is None


def test_prediction_is_reading_and_writing() -> None:
    """The prompt at the reading speed, and the answer at the writing speed."""
    rates = Rates()
    rates.learn(Usage(1000, 100), 2.0, 4.0)

    assert rates.predict_s(30_000, 200) == pytest.approx(60 + 8)


def test_newer_answers_count_more() -> None:
    """A machine that became slow is noticed within a few answers."""
    rates = Rates()
    rates.learn(Usage(1000, 100), 1.0, 1.0)
    for _ in range(10):
        rates.learn(Usage(1000, 100), 10.0, 10.0)

    assert rates.predict_s(1000, 100) == pytest.approx(1000 / 196.6 + 100 / 19.66, rel=0.02)

"""Calibration makes stated probabilities come true."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.training.calibrate import balanced, crowd, fitted, reliability
from edge_models.training.metrics import calibration_error

RNG = np.random.default_rng(5)


def drawn(rows: int, spread: float, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Logits of two labels, and labels that come true as softmax(logits / spread + shift on the second) says."""
    logits = RNG.normal(0, 3, (rows, 2))
    chance = 1 / (1 + np.exp(-((logits[:, 1] - logits[:, 0]) / spread + shift)))
    return logits, np.eye(2)[(RNG.random(rows) < chance).astype(int)]


def test_temperature_and_bias_are_found_again() -> None:
    """What was put in comes out, and the error on new rows is small where it was large."""
    logits, targets = drawn(6000, 2.5, -1.0)
    scale = fitted(logits, targets)

    assert scale.temperature == pytest.approx(2.5, rel=0.1)
    assert scale.bias[1] - scale.bias[0] == pytest.approx(-1.0, abs=0.15)

    fresh, truth = drawn(6000, 2.5, -1.0)
    difference = fresh[:, 1] - fresh[:, 0]
    before = 1 / (1 + np.exp(-difference))
    after = 1 / (1 + np.exp(-(difference / scale.temperature + scale.bias[1] - scale.bias[0])))
    assert calibration_error(truth[:, 1], after) < 0.03 < calibration_error(truth[:, 1], before)


def test_the_order_of_two_labels_stays() -> None:
    """Calibration moves probabilities, and of one label no order."""
    logits, targets = drawn(500, 1.5, 0.5)
    scale = fitted(logits, targets)
    difference = logits[:, 1] - logits[:, 0]
    assert (np.argsort(difference) == np.argsort(difference / scale.temperature + scale.bias[1])).all()


def test_a_perfect_head_gives_no_overflow() -> None:
    """Rows that are told apart wholly give a finite scale."""
    logits = np.array([[9.0, -9.0], [-9.0, 9.0]] * 40)
    scale = fitted(logits, np.eye(2)[[0, 1] * 40])
    assert 0 < scale.temperature < 10
    assert np.isfinite(scale.bias).all()


def test_weights_count() -> None:
    """Rows of no weight decide nothing."""
    logits, targets = drawn(2000, 1.0, 0.0)
    wrong = np.concatenate([targets, targets[:, ::-1]])
    twice = np.concatenate([logits, logits])
    weights = np.concatenate([np.ones(2000), np.zeros(2000)])
    assert fitted(twice, wrong, weights).temperature == pytest.approx(fitted(logits, targets).temperature, rel=0.01)


def test_bins_of_the_curve() -> None:
    """Each bin tells what was stated and what came true."""
    assert reliability(np.array([0, 1, 1.0]), np.array([0.1, 0.92, 0.98])) == [
        (pytest.approx(0.1), 0.0, 1),
        (pytest.approx(0.95), 1.0, 2),
    ]


def test_large_sources_weigh_less_a_row() -> None:
    """A source counts by the root of its rows."""
    assert balanced(["a"] * 4 + ["b"]).tolist() == [0.5] * 4 + [1.0]


def test_the_pull_of_many_windows_is_found_again() -> None:
    """Where a text's odds fall with the root of its windows, that is what is fitted; where they don't, nothing is."""
    windows = RNG.integers(1, 30, 6000).astype(np.float64)
    odds = np.exp(RNG.normal(0, 2, 6000))
    worst, drawn = odds / (1 + odds), RNG.random(6000)
    for pull in (0.0, 0.5):
        fair = odds / windows**pull
        truth = (drawn < fair / (1 + fair)).astype(np.float64)

        assert crowd(worst, windows, truth, np.ones(6000)) == pytest.approx(pull, abs=0.11)

"""The line of numbers over vectors."""

from __future__ import annotations

import numpy as np

from edge_models.training.linear import STRENGTHS, best_strength, fit_linear

RNG = np.random.default_rng(9)
TRUTH = RNG.integers(0, 3, 300)
CENTRES = RNG.normal(size=(3, 20))
VECTORS = CENTRES[TRUTH] + RNG.normal(scale=0.6, size=(300, 20))
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)


def test_it_tells_apart_what_can_be_told_apart() -> None:
    """Three clouds are told apart."""
    line = fit_linear(VECTORS, TRUTH, 3, 1e-4)
    assert (line.logits(VECTORS).argmax(axis=1) == TRUTH).mean() > 0.97


def test_a_stronger_pull_gives_smaller_numbers() -> None:
    """The pull is to zero."""
    sizes = [float(np.abs(fit_linear(VECTORS, TRUTH, 3, strength).weights).sum()) for strength in STRENGTHS]
    assert sizes == sorted(sizes)


def test_rare_labels_count_as_much() -> None:
    """One label of twenty is not drowned."""
    truth = np.array([0] * 190 + [1] * 10)
    vectors = np.where(truth[:, None] == 1, [[0.8, 0.6]], [[0.6, 0.8]]) + RNG.normal(scale=0.02, size=(200, 2))
    guess = fit_linear(vectors, truth, 2, 1e-4).logits(vectors).argmax(axis=1)
    assert (guess[truth == 1] == 1).mean() > 0.9


def test_the_strength_is_one_of_them() -> None:
    """Cross-validation picks, the same for the same seed."""
    assert best_strength(VECTORS, TRUTH, 3, 1) in STRENGTHS
    assert best_strength(VECTORS, TRUTH, 3, 1) == best_strength(VECTORS, TRUTH, 3, 1)

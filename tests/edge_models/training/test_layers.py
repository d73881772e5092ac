"""Two layers over fixed vectors."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.pooling import unit
from edge_models.training.layers import fit_layers, label_weights


def rows(count: int = 2500) -> tuple[np.ndarray, np.ndarray]:
    """Vectors whose label is whether two of their numbers have the same sign, which no single layer can tell."""
    chance = np.random.default_rng(5)
    vectors = unit(chance.standard_normal((count, 8)).astype(np.float32))
    return vectors, np.eye(2, dtype=np.float32)[(vectors[:, 0] * vectors[:, 1] > 0).astype(int)]


def test_they_learn_what_one_layer_can_not() -> None:
    """On vectors that they were not fitted on."""
    vectors, targets = rows()
    layers = fit_layers(vectors[:2000], targets[:2000], 7)
    right = layers.logits(vectors[2000:]).argmax(axis=1) == targets[2000:].argmax(axis=1)
    assert right.mean() > 0.7


def test_the_same_seed_gives_the_same_numbers() -> None:
    """And another one others."""
    vectors, targets = rows(300)
    one, two, other = (fit_layers(vectors, targets, seed) for seed in (7, 7, 8))
    assert np.array_equal(one.outer, two.outer)
    assert not np.array_equal(one.outer, other.outer)


def test_rare_labels_weigh_more() -> None:
    """By the root of how rare, and 1 on average."""
    targets = np.eye(2, dtype=np.float32)[[0, 0, 0, 0, 0, 0, 0, 0, 1, 1]]
    weights = label_weights(targets)
    assert weights[1] / weights[0] == pytest.approx(2)
    assert (weights * targets.mean(axis=0)).sum() == pytest.approx(1)

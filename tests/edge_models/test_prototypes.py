"""Banks of examples."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.pooling import unit
from edge_models.prototypes import Prototypes, representatives

AXES = np.eye(4, dtype=np.float32)


def bank(vectors: np.ndarray, **more: float) -> Prototypes:
    options = {"cluster": 0.9, "most": 8, "weight": 0.75, "top": 2} | more
    return Prototypes(vectors.astype(np.float32), **options)  # type: ignore[arg-type]


def test_the_score_mixes_the_nearest_with_the_nearest_two() -> None:
    """0.75 · best + 0.25 · mean of two: upstream's formula."""
    query = unit(np.array([[3.0, 1.0, 0.0, 0.0]], np.float32))[0]
    score, best, support = bank(AXES[:3]).score(query)

    assert (best, support) == pytest.approx((query[0], (query[0] + query[1]) / 2))
    assert score == pytest.approx(0.75 * best + 0.25 * support)


def test_examples_that_say_the_same_are_one() -> None:
    """Its medoid stands for a group, the largest group first, and only so many groups stay."""
    near = unit(np.array([[1, 0.0, 0, 0], [1, 0.1, 0, 0], [1, 0.2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32))

    assert representatives(near @ near.T, 0.9) == [1, 3, 4]
    assert len(bank(near)) == 3
    assert len(bank(near, most=2)) == 2
    assert len(bank(near, cluster=1.1)) == 5


def test_the_nearest_of_all_is_the_nearest_of_merged_ones_too() -> None:
    """Contrastive rules compare with every example."""
    near = unit(np.array([[1, 0.0, 0, 0], [1, 0.1, 0, 0], [1, 0.2, 0, 0]], np.float32))

    assert bank(near).best(near[0]) == pytest.approx(1)


def test_one_example_is_enough() -> None:
    """Best and support are the same then."""
    assert bank(AXES[:1]).score(AXES[0]) == pytest.approx((1, 1, 1))

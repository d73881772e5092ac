"""Pooling, against sums done by hand."""

from __future__ import annotations

import numpy as np
import pytest

from edge_models.pooling import POOLINGS, cls_pool, mean_pool, unit

HIDDEN = np.array([[[3.0, 0.0], [0.0, 4.0], [9.0, 9.0]], [[1.0, 0.0], [5.0, 5.0], [7.0, 7.0]]], np.float32)
MASK = np.array([[1, 1, 0], [1, 0, 0]], np.int64)


def test_the_mean_leaves_padding_out() -> None:
    """Vectors that the mask drops change nothing."""
    np.testing.assert_allclose(mean_pool(HIDDEN, MASK), [[0.6, 0.8], [1.0, 0.0]], atol=1e-6)


def test_the_first_token_is_taken() -> None:
    """CLS pooling is the first vector, at unit length."""
    np.testing.assert_allclose(cls_pool(HIDDEN, MASK), [[1.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize("name", POOLINGS)
def test_a_text_without_a_token_is_an_error(name: str) -> None:
    """Nothing can be pooled from a row that is all padding."""
    with pytest.raises(ValueError, match="token"):
        POOLINGS[name](HIDDEN, MASK * [[1], [0]])


@pytest.mark.parametrize("name", POOLINGS)
def test_rows_have_unit_length(name: str) -> None:
    """Whatever comes in, float32 rows of length 1 come out."""
    hidden = np.random.default_rng(1).normal(size=(5, 7, 11)).astype(np.float32)
    rows = POOLINGS[name](hidden, np.ones((5, 7), np.int64))
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_zeros_stay_zeros() -> None:
    """A vector without a direction is not divided by zero."""
    np.testing.assert_array_equal(unit(np.zeros((1, 3), np.float32)), np.zeros((1, 3)))

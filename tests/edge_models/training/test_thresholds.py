"""Thresholds by the share of false alarms, over sources."""

from __future__ import annotations

import numpy as np

from edge_models.training.thresholds import balanced_threshold


def test_a_hard_source_is_not_hidden_by_an_easy_one() -> None:
    """Of 100 hard and 10,000 easy texts the hard ones decide."""
    scores = np.concatenate([np.linspace(0.5, 0.99, 100), np.full(10_000, 0.01)])
    sources = ["hard"] * 100 + ["easy"] * 10_000
    threshold = balanced_threshold(0.05, scores, sources)

    hard = scores[:100] >= threshold
    assert 0.08 <= hard.mean() <= 0.10
    assert np.quantile(scores, 0.95) < threshold


def test_ties_do_not_pass() -> None:
    """If too many share the score, it is left below."""
    assert balanced_threshold(0.01, np.full(50, 0.3), ["a"] * 50) > 0.3


def test_small_sources_count_together() -> None:
    """Three texts of one source are no twentieth of the whole."""
    scores = np.concatenate([np.full(3, 0.9), np.full(200, 0.1)])
    assert balanced_threshold(0.01, scores, ["few"] * 3 + ["many"] * 200) > 0.9
    assert balanced_threshold(1.0, scores, ["few"] * 3 + ["many"] * 200) == 0

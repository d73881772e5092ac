"""Thresholds by a stated share of false alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from edge_models.training.metrics import Array

FEWEST: int = 20
"""A source with fewer harmless texts is pooled with the others that are as small: one text of it would be a tenth."""


def balanced_threshold(share: float, negatives: Array, sources: Sequence[str]) -> float:
    """The lowest threshold that, averaged over sources, at most `share` of the harmless scores reach.

    Each source counts alike, so that ten thousand easy texts don't hide what happens to a hundred hard ones.
    """
    return weighted_threshold(share, negatives, source_weights(sources))


def weighted_threshold(share: float, scores: Array, weights: Array) -> float:
    """The lowest threshold that at most `share` of the weight of the scores reaches. weights: of sum 1."""
    order = np.argsort(-scores, kind="stable")
    ordered, passed = scores[order], np.cumsum(weights[order])
    over = np.flatnonzero(passed > share + 1e-12)
    if not len(over):
        return 0.0
    return float(min(np.nextafter(ordered[over[0]], 2.0), 1.0))


def source_weights(sources: Sequence[str]) -> Array:
    """Of each text, so that every source counts alike; the small ones are one source. Their sum is 1."""
    counts = Counter(sources)
    names = [source if counts[source] >= FEWEST else None for source in sources]
    sizes = Counter(names)
    return np.array([1 / (sizes[name] * len(sizes)) for name in names])

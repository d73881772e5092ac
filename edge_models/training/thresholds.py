"""Thresholds by a stated share of false alarms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edge_models.training.metrics import Array

FEWEST: int = 20
"""A source with fewer harmless texts is pooled with the others that are as small: one text of it would be a tenth."""


def balanced_threshold(share: float, negatives: Array, sources: Sequence[str]) -> float:
    """The lowest threshold that, averaged over sources, at most `share` of the harmless scores reach.

    Each source counts alike, so that ten thousand easy texts don't hide what happens to a hundred hard ones.
    """
    groups = _groups(negatives, sources)
    weights = np.concatenate([np.full(len(group), 1 / (len(group) * len(groups))) for group in groups])
    scores = np.concatenate(groups)
    order = np.argsort(-scores, kind="stable")
    ordered, passed = scores[order], np.cumsum(weights[order])
    over = np.flatnonzero(passed > share + 1e-12)
    if not len(over):
        return 0.0
    return float(min(np.nextafter(ordered[over[0]], 2.0), 1.0))


def _groups(negatives: Array, sources: Sequence[str]) -> list[Array]:
    names = np.array(sources)
    large = [name for name in sorted(set(sources)) if (names == name).sum() >= FEWEST]
    groups = [negatives[names == name] for name in large]
    rest = negatives[~np.isin(names, large)]
    return groups + ([rest] if len(rest) else [])

"""How well right answers are told from wrong ones of the same group: between groups one would compare how hard sets are."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edge_models.training.metrics import auroc

Array: TypeAlias = NDArray[np.float64]


def within(right: Array, values: Array, groups: Array) -> float:
    """AUROC over pairs of the same group."""
    wins = pairs = 0.0
    for group in np.unique(groups):
        own = groups == group
        ones = float((right[own] > 0.5).sum())
        count = ones * (float(own.sum()) - ones)
        if count:
            wins, pairs = wins + count * auroc(right[own], values[own]), pairs + count
    return wins / pairs if pairs else float("nan")


def gain(right: Array, values: Array, others: Array, groups: Array) -> float:
    """How much of that values have over others."""
    return within(right, values, groups) - within(right, others, groups)

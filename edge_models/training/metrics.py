"""Numbers of a classifier, each with how far chance alone could move it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, lgamma, log, log1p
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DRAWS: Final = 400
"""Bootstrap samples: enough for two digits of a 95 % interval."""
BINS: Final = 10


class Estimate(Struct, frozen=True):
    """A number, the 95 % interval of the bootstrap over texts, and over how many texts."""

    value: float
    low: float
    high: float
    texts: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}-{self.high:.3f}), n = {self.texts:,}"


def estimate(measure: Callable[..., float], *columns: Sequence[float] | NDArray[Any], seed: int = 7) -> Estimate:
    """A measure of columns of equal length, and the interval over rows drawn with replacement."""
    arrays = [np.asarray(column, np.float64) for column in columns]
    count = len(arrays[0])
    chance = np.random.default_rng(seed)
    values = []
    for _ in range(_DRAWS):
        rows = chance.integers(0, count, count)
        value = measure(*(array[rows] for array in arrays))
        if np.isfinite(value):
            values.append(value)
    low, high = np.percentile(values, [2.5, 97.5]) if values else (float("nan"), float("nan"))
    return Estimate(float(measure(*arrays)), float(low), float(high), count)


def grouped_estimate(
    measure: Callable[..., float], groups: Sequence[str], *columns: Sequence[float] | NDArray[Any], seed: int = 7
) -> Estimate:
    """The same where rows of a group are alike: whole groups are drawn, and `texts` says how many groups there are."""
    arrays = [np.asarray(column, np.float64) for column in columns]
    _, numbers = np.unique(groups, return_inverse=True)
    members = [np.flatnonzero(numbers == number) for number in range(int(numbers.max()) + 1)]
    draws = np.random.default_rng(seed).integers(0, len(members), (_DRAWS, len(members)))
    values = []
    for draw in draws:
        rows = np.concatenate([members[number] for number in draw])
        values.append(measure(*(array[rows] for array in arrays)))
    low, high = np.percentile([value for value in values if np.isfinite(value)] or [float("nan")], [2.5, 97.5])
    return Estimate(float(measure(*arrays)), float(low), float(high), len(members))


def auroc(truth: Array, scores: Array) -> float:
    """The chance that a positive scores above a negative; ties count half. Not a number without both."""
    positive = truth > 0.5
    ones, zeros = int(positive.sum()), int((~positive).sum())
    if not ones or not zeros:
        return float("nan")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def threshold_at(share: float, negatives: Array) -> float:
    """The lowest score that at most `share` of the negatives reach or pass; just above all of them if need be, at most 1."""
    ordered = np.sort(np.asarray(negatives, np.float64))[::-1]
    allowed = int(share * len(ordered) + 1e-9)
    if allowed >= len(ordered):
        return 0.0
    return float(min(np.nextafter(ordered[allowed], 2.0), 1.0))


def recall_at(share: float, truth: Array, scores: Array) -> float:
    """The share of positives over the threshold that `share` of the negatives pass."""
    positive = truth > 0.5
    if not positive.any() or positive.all():
        return float("nan")
    return float((scores[positive] >= threshold_at(share, scores[~positive])).mean())


def calibration_error(truth: Array, scores: Array, weights: Array | None = None) -> float:
    """Expected calibration error over ten bins of equal width: how far a stated probability is from what comes true."""
    weight = np.ones(len(scores)) if weights is None else weights
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, weight * (truth - scores), BINS)
    return float(np.abs(gaps).sum() / weight.sum())


def upper_bound(hits: int, texts: int, confidence: float = 0.95) -> float:
    """The largest share that is still compatible with so many hits: Clopper and Pearson's one-sided bound. 1 of no texts.

    Source: Clopper and Pearson, Biometrika 26 (1934), 404-413; bisection over the binomial sum.
    """
    if hits >= texts:
        return 1.0
    ways = [lgamma(texts + 1) - lgamma(n + 1) - lgamma(texts - n + 1) for n in range(hits + 1)]  # their logarithms
    low, high = hits / texts, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        below = sum(exp(ways[n] + n * log(middle) + (texts - n) * log1p(-middle)) for n in range(hits + 1))
        low, high = (middle, high) if below > 1 - confidence else (low, middle)
    return high


def accuracy(truth: Array, found: Array) -> float:
    """The share that is equal."""
    return float((truth == found).mean())

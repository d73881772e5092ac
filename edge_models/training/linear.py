"""Multinomial logistic regression with a pull to zero, in numpy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.training.metrics import Array

Labels = NDArray[Any]
STRENGTHS: Final = (1e-2, 1e-3, 1e-4, 1e-5)
_STEPS: Final = 300
_RATE: Final = 0.1
_FOLDS: Final = 4
_SCALE: Final = 10.0
"""What unit vectors are multiplied by while fitting: their 384 numbers are about 0.05 each, and steps would be tiny."""


class Linear(Struct, frozen=True):
    """weights: (width, labels). bias: (labels,)."""

    weights: Array
    bias: Array

    def logits(self, vectors: Array) -> Array:
        """(rows, labels)."""
        found: Array = vectors @ self.weights + self.bias
        return found


def fit_linear(vectors: Array, truth: Labels, labels: int, strength: float) -> Linear:
    """The line with the least cross-entropy, labels weighing alike, plus `strength` times the squared weights. Adam."""
    width = vectors.shape[1]
    counts = np.bincount(truth, minlength=labels)
    weight = (1 / np.maximum(counts, 1))[truth]
    weight = weight / weight.sum()
    scaled = vectors * _SCALE
    targets = np.eye(labels)[truth]
    values = np.zeros((width + 1, labels))
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, _STEPS + 1):
        logits = scaled @ values[:width] + values[width]
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        wrong = (chances - targets) * weight[:, None]
        slope = np.concatenate([scaled.T @ wrong + 2 * strength * values[:width], wrong.sum(axis=0, keepdims=True)])
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        rate = _RATE * (1 - (step - 1) / _STEPS)
        values -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return Linear(values[:width] * _SCALE, values[width])


def best_strength(vectors: Array, truth: Labels, labels: int, seed: int) -> float:
    """The pull that does best in cross-validation; of equals the strongest."""
    folds = np.random.default_rng(seed).integers(0, _FOLDS, len(truth))
    scores = []
    for strength in STRENGTHS:
        hits = 0
        for fold in range(_FOLDS):
            inside = folds != fold
            line = fit_linear(vectors[inside], truth[inside], labels, strength)
            hits += int((line.logits(vectors[~inside]).argmax(axis=1) == truth[~inside]).sum())
        scores.append(hits)
    return STRENGTHS[scores.index(max(scores))]

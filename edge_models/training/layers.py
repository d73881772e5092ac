"""Two small layers over vectors that stay as they are, fitted in numpy: the multilingual heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from edge_models.multilingual.heads import Layers
from edge_models.pooling import Floats

HIDDEN: Final = 128
_EPOCHS: Final = 14
_ROWS: Final = 256
_RATE: Final = 2e-3
_DECAY: Final = 0.02
_DROPPED: Final = 0.2
"""The share of the hidden layer that each step leaves out."""
_SMOOTHING: Final = 0.03
"""As the trunk's heads have it."""


def fit_layers(
    vectors: Floats, targets: Floats, seed: int, progress: Callable[[float], None] = lambda share: None
) -> Layers:
    """The layers with the least cross-entropy. vectors: (rows, width), of length 1. targets: (rows, labels), distributions.

    Rare labels weigh more, by the root of how rare. Adam over batches drawn by chance, the rate falling to nothing.
    """
    chance = np.random.default_rng(seed)
    rows, width = vectors.shape
    labels = targets.shape[1]
    scale = np.float32(np.sqrt(width))  # unit vectors' numbers are tiny, and steps would be
    values = [
        (chance.standard_normal((width, HIDDEN)) * np.sqrt(2 / width)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (chance.standard_normal((HIDDEN, labels)) * np.sqrt(1 / HIDDEN)).astype(np.float32),
        np.zeros(labels, np.float32),
    ]
    moments = [(np.zeros_like(value), np.zeros_like(value)) for value in values]
    weights = label_weights(targets)
    smooth = (1 - _SMOOTHING) * targets + _SMOOTHING / labels
    steps = _EPOCHS * -(-rows // _ROWS)
    step = 0
    for _ in range(_EPOCHS):
        order = chance.permutation(rows)
        for start in range(0, rows, _ROWS):
            batch = order[start : start + _ROWS]
            step += 1
            slopes = _slopes(values, vectors[batch] * scale, smooth[batch] * weights, chance)
            rate = _RATE * (1 - (step - 1) / steps)
            for value, slope, (first, second) in zip(values, slopes, moments, strict=True):
                first += 0.1 * (slope - first)
                second += 0.001 * (slope * slope - second)
                value -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
                if value.ndim == 2:
                    value *= 1 - rate * _DECAY
        progress(step / steps)
    return Layers(values[0] * scale, values[1], values[2], values[3])


def label_weights(targets: Floats) -> Floats:
    """Of each label, by the root of how rare it is; 1 on average over the rows."""
    shares = targets.mean(axis=0)
    weights = np.sqrt(1 / (len(shares) * np.maximum(shares, 1e-3)))
    found: Floats = (weights / (weights * shares).sum()).astype(np.float32)
    return found


def _slopes(values: list[Floats], vectors: Floats, wanted: Floats, chance: np.random.Generator) -> list[Floats]:
    """Of the loss, by each of the four. wanted: targets times the labels' weights."""
    inner, inner_bias, outer, outer_bias = values
    hidden = np.maximum(vectors @ inner + inner_bias, 0)
    kept = (chance.random(hidden.shape, np.float32) >= _DROPPED) / np.float32(1 - _DROPPED)
    hidden *= kept
    logits = hidden @ outer + outer_bias
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    wrong = (chances * wanted.sum(axis=1, keepdims=True) - wanted) / len(vectors)
    back = (wrong @ outer.T) * (hidden > 0) * kept
    return [vectors.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]

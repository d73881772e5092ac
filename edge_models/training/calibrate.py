"""Calibration: a temperature and a bias a label, so that a stated probability is the share that comes true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from edge_models.heads.manifest import Calibration
from edge_models.heads.reading import crowded

Array = NDArray[np.float64]
_STEPS: Final = 400
_RATE: Final = 0.05
CROWDS: Final = tuple(step / 20 for step in range(31))
_PULL: Final = 1e-3
"""How strongly a bias is drawn to 0: a label with a handful of rows gets none to speak of."""


def fitted(logits: Array, targets: Array, weights: Array | None = None) -> Calibration:
    """The temperature and the bias with the least cross-entropy.

    logits, targets: (rows, labels); a target is a distribution. weights: of rows. Adam over the log of the inverse
    temperature and the biases; the loss is convex in the inverse temperature and the biases.
    """
    weight = np.ones(len(logits)) if weights is None else weights
    weight = weight / weight.sum()
    centred = logits - logits.mean(axis=1, keepdims=True)
    labels = logits.shape[1]
    values = np.zeros(labels + 1)  # log of the inverse temperature, then biases
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, _STEPS + 1):
        scale = np.exp(values[0])
        chances = _softmax(centred * scale + values[1:])
        wrong = (chances - targets) * weight[:, None]
        slope = np.concatenate([[float((wrong * centred).sum()) * scale], wrong.sum(axis=0) + _PULL * values[1:]])
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        values -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    biases = values[1:] - values[1:].mean()
    return Calibration(round(float(np.exp(-values[0])), 6), tuple(round(float(bias), 6) for bias in biases))


def crowd(worst: Array, windows: Array, truth: Array, weights: Array) -> float:
    """By how much a text's log-odds fall with the log of its windows (`edge_models.heads.manifest.Calibration`): the value
    with the least cross-entropy. worst: the probability of each text's worst window. windows: how many it has.
    """

    def loss(pull: float) -> float:
        chance = crowded(worst, windows, pull)
        return float((weights * -(truth * np.log(chance) + (1 - truth) * np.log(1 - chance))).sum())

    return min((float(pull) for pull in CROWDS), key=loss)


def _softmax(logits: Array) -> Array:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Array = raised / raised.sum(axis=1, keepdims=True)
    return result


def reliability(truth: Array, scores: Array, bins: int = 10) -> list[tuple[float, float, int]]:
    """For each bin of equal width that holds any: mean stated probability, share that came true, how many."""
    numbers = np.minimum((scores * bins).astype(int), bins - 1)
    return [
        (
            float(scores[numbers == number].mean()),
            float(truth[numbers == number].mean()),
            int((numbers == number).sum()),
        )
        for number in range(bins)
        if (numbers == number).any()
    ]


def balanced(sources: Sequence[str]) -> Array:
    """Weights under which each source counts by the root of its rows, so that the largest set doesn't decide alone."""
    counts = {source: sources.count(source) for source in set(sources)}
    return np.array([counts[source] ** -0.5 for source in sources])

"""The head over pictures' features: fitted, calibrated and given its threshold on sources that it was not fitted on."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.training.calibrate import fitted
from edge_models.training.pictures.gathered import LABELS
from edge_models.training.pictures.samples import Samples
from edge_models.vision.kinds import IDENTITY, Head

STRENGTH: Final = 1e-2
FLOOR: Final = 0.05
"""Added to each input's deviation: a feature that is nearly never there must not count for much where it is."""
RECALL: Final = 0.98
FOLDS: Final = 4
OWN_FOLDS: Final = 3
_STEPS: Final = 200
_RATE: Final = 0.03


class Held(Struct, frozen=True):
    """logits: (n, labels), each of a head that knew nothing of the row's source. kinds: what they are. weights: of rows."""

    logits: NDArray[np.float64]
    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]


def head_of(samples: Samples) -> Head:
    """The line with the least cross-entropy, kinds weighing alike."""
    mean = samples.inputs.mean(axis=0)
    scale = 1 / (samples.inputs.std(axis=0) + FLOOR)
    weights = _fitted((samples.inputs - mean) * scale, samples.kinds)
    return Head(mean.astype(np.float32), scale.astype(np.float32), weights[:-1], weights[-1])


def _fitted(inputs: NDArray[np.float32], kinds: NDArray[np.int64]) -> NDArray[np.float32]:
    """(inputs and bias, labels): Adam on the cross-entropy, kinds weighing alike, plus STRENGTH times the squared weights.

    As `linear.fit_linear`, but in float32 and for inputs of deviation one: an eighth of its time, with 1,282 of them.
    """
    inputs = inputs.astype(np.float32)
    width, labels = inputs.shape[1], len(LABELS)
    weight = (1 / np.maximum(np.bincount(kinds, minlength=labels), 1))[kinds]
    weight = (weight / weight.sum()).astype(np.float32)
    targets = np.eye(labels, dtype=np.float32)[kinds]
    values = np.zeros((width + 1, labels), np.float32)
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, _STEPS + 1):
        logits = inputs @ values[:width] + values[width]
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        wrong = (shares - targets) * weight[:, None]
        slope = np.concatenate([inputs.T @ wrong + 2 * STRENGTH * values[:width], wrong.sum(axis=0, keepdims=True)])
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        rate = _RATE * (1 - (step - 1) / _STEPS)
        values -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return np.asarray(values, np.float32)


def held_out(samples: Samples, seed: int) -> Held:
    """Each sample by a head that was fitted without its source: sources in FOLDS parts, each kind's dealt out in turn."""
    random = np.random.default_rng(seed)
    fold = np.zeros(len(samples), np.int64)
    names = sorted({(int(kind), str(source)) for kind, source in zip(samples.kinds, samples.sources, strict=True)})
    order = [names[at] for at in random.permutation(len(names))]
    seen: dict[int, int] = {}
    for kind, source in order:
        seen[kind] = seen.get(kind, 0) + 1
        fold[(samples.kinds == kind) & (samples.sources == source)] = (seen[kind] + kind) % FOLDS
    logits = np.zeros((len(samples), len(LABELS)))
    for number in range(FOLDS):
        out = fold == number
        if out.any():
            logits[out] = head_of(samples[~out]).logits(samples[out].inputs)
    return Held(logits, samples.kinds, weights_of(samples))


def unseen_pictures(own: Samples, free: Samples) -> Held:
    """Each drawn picture by a head that knew others of its look, and not itself: every OWN_FOLDS-th is left out in turn."""
    fold = np.arange(len(own)) % OWN_FOLDS
    logits = np.zeros((len(own), len(LABELS)))
    for number in range(OWN_FOLDS):
        out = fold == number
        logits[out] = head_of(own[~out] + free).logits(own[out].inputs)
    return Held(logits, own.kinds, weights_of(own))


def weights_of(samples: Samples) -> NDArray[np.float64]:
    """So that each kind counts alike, and within it each source."""
    pairs = list(zip(samples.kinds.tolist(), samples.sources.tolist(), strict=True))
    rows: dict[tuple[int, str], int] = {}
    for pair in pairs:
        rows[pair] = rows.get(pair, 0) + 1
    sources: dict[int, int] = {}
    for kind, _ in rows:
        sources[kind] = sources.get(kind, 0) + 1
    return np.array([1 / (rows[pair] * sources[pair[0]]) for pair in pairs])


def temperature(held: Held) -> float:
    """What logits are divided by for their softmax to come true."""
    targets = np.eye(len(LABELS))[held.kinds]
    return round(fitted(held.logits, targets, held.weights).temperature, 4)


def chances(logits: NDArray[Any], warmth: float) -> NDArray[np.float64]:
    """(n, labels), rows summing to 1."""
    scaled = np.asarray(logits, np.float64) / warmth
    shares = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)


def identity_threshold(held: Held, warmth: float) -> float:
    """From which probability on RECALL of the held-out identity documents are found."""
    place = LABELS.index(IDENTITY)
    found = np.sort(chances(held.logits, warmth)[held.kinds == place, place])
    at = int(np.floor((1 - RECALL) * len(found)))
    return round(float(np.clip(found[at], 0.002, 0.5)), 4)

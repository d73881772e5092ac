"""The head over pictures' features: fitted, calibrated and given its threshold on sources that it was not fitted on."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.training.calibrate import fitted
from edge_models.training.linear import fit_linear
from edge_models.training.pictures.gathered import LABELS
from edge_models.training.pictures.samples import Samples
from edge_models.vision.kinds import IDENTITY, Head

STRENGTH: Final = 1e-4
FLOOR: Final = 0.05
"""Added to each input's deviation: a feature that is nearly never there must not count for much where it is."""
RECALL: Final = 0.98
FOLDS: Final = 5
MARGIN: Final = 0.5
"""The threshold is this share of the probability that keeps RECALL: pictures of the world are stranger than ours."""
_SCALE: Final = 10.0
"""fit_linear multiplies by it."""


class Held(Struct, frozen=True):
    """logits: (n, labels), each of a head that knew nothing of the row's source. kinds: what they are. weights: of rows."""

    logits: NDArray[np.float64]
    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]


def head_of(samples: Samples) -> Head:
    """The line with the least cross-entropy, kinds weighing alike."""
    mean = samples.inputs.mean(axis=0)
    scale = 1 / (samples.inputs.std(axis=0) + FLOOR)
    scaled = ((samples.inputs - mean) * scale / _SCALE).astype(np.float64)  # so that no step has to widen it again
    line = fit_linear(scaled, samples.kinds, len(LABELS), STRENGTH)
    weights = (line.weights / _SCALE).astype(np.float32)
    return Head(mean.astype(np.float32), scale.astype(np.float32), weights, line.bias.astype(np.float32))


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
    """From which probability on RECALL of the held-out identity documents are found, and then MARGIN of it."""
    place = LABELS.index(IDENTITY)
    found = np.sort(chances(held.logits, warmth)[held.kinds == place, place])
    at = int(np.floor((1 - RECALL) * len(found)))
    return round(float(np.clip(found[at] * MARGIN, 0.002, 0.5)), 4)

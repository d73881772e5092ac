"""How far an artefact is from its original: pure numbers, of which one decides.

Each task has a measure that is 1 for a faithful artefact and sinks with its faults, and a floor under which an artefact is
refused. The floors lie under what a sound int8 export of a real model reaches, and over what the planted faults of
tests/edge_models/training/test_parity.py and classifiers/test_embedder.py do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.pooling import Floats

Labels = tuple[str, ...]


class Parity(Struct, frozen=True):
    """What a comparison gave. measure: what `value` is. more: further numbers, for the reader. texts: how many."""

    measure: str
    value: float
    texts: int
    more: dict[str, float]


class Reading(Struct, frozen=True):
    """A decoder's view of one text, token by token after the first.

    ids: (tokens,). logprobs: (tokens - 1,), natural log, of the token that came. best: (tokens - 1,), the likeliest.
    """

    ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]
    best: NDArray[np.int64]


FLOORS: Final[dict[str, float]] = {
    "feature-extraction": 0.99,  # mean cosine; int8 weights 0.9994, int4 0.955 (MiniLM, test_export.py)
    "text-classification": 0.95,  # same label
    "token-classification": 0.95,  # same label of a word
    "entailment": 0.95,  # same label of a pair
    "text-generation": 0.85,  # int8 weights 0.995, int4 0.76 (SmolLM2-135M, test_export.py)
}


def embeddings(original: Floats, artefact: Floats) -> Parity:
    """Rows are texts, of unit length. Neighbours are counted among the texts themselves."""
    cosines = np.einsum("tw,tw->t", original, artefact).astype(np.float64)
    more = {"least cosine": float(cosines.min())}
    if len(cosines) > 1:
        more["same nearest neighbour"] = float((_nearest(original) == _nearest(artefact)).mean())
    return Parity("mean cosine", float(cosines.mean()), len(cosines), more)


def _nearest(rows: Floats) -> NDArray[np.int64]:
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, -np.inf)
    nearest: NDArray[np.int64] = likeness.argmax(axis=1).astype(np.int64)
    return nearest


def sequences(original: Floats, artefact: Floats) -> Parity:
    """Rows are texts, columns probabilities of labels."""
    same = float((original.argmax(axis=1) == artefact.argmax(axis=1)).mean())
    return Parity("same label", same, len(original), {"largest difference": float(np.abs(original - artefact).max())})


def logits(original: Sequence[Floats], artefact: Sequence[Floats]) -> Parity:
    """One array a text, of like shape. 1 less the largest difference, in units of how much the original's logits vary."""
    spread = float(np.concatenate([each.ravel() for each in original]).std()) or 1.0
    apart = max(float(np.abs(ours - theirs).max()) for ours, theirs in zip(original, artefact, strict=True))
    return Parity("1 - largest difference", 1.0 - apart / spread, len(original), {"largest difference": apart})


def tokens(original: Sequence[Labels], artefact: Sequence[Labels]) -> Parity:
    """For each text the labels of its words; a text that falls into other words counts as all wrong."""
    total = sum(map(len, original))
    same = sum(
        sum(one == other for one, other in zip(ours, theirs, strict=True))
        for ours, theirs in zip(original, artefact, strict=True)
        if len(ours) == len(theirs)
    )
    return Parity("same label of a word", same / max(total, 1), len(original), {"words": float(total)})


def generation(original: Sequence[Reading], artefact: Sequence[Reading]) -> Parity:
    """Perplexity over all tokens, the lower of the two over the higher: an artefact that is "better" is another model.

    Texts that the two tokenizers cut differently can't be compared: their share is taken off the measure.
    """
    pairs = [(o, a) for o, a in zip(original, artefact, strict=True) if np.array_equal(o.ids, a.ids)]
    if not pairs:
        return Parity("perplexity ratio", 0.0, len(original), {"texts cut into the same tokens": 0.0})
    before, after = _perplexity([ours for ours, _ in pairs]), _perplexity([theirs for _, theirs in pairs])
    same = [ours.best == theirs.best for ours, theirs in pairs]
    share = len(pairs) / len(original)
    more = {
        "perplexity before": before,
        "perplexity after": after,
        "same likeliest token": float(np.concatenate(same).mean()),
        "texts cut into the same tokens": share,
    }
    return Parity("perplexity ratio", min(before / after, after / before) * share, len(original), more)


def _perplexity(readings: Sequence[Reading]) -> float:
    total = sum(float(reading.logprobs.sum()) for reading in readings)
    count = sum(len(reading.logprobs) for reading in readings)
    return math.exp(min(-total / max(count, 1), 700.0))  # exp(709) is the last that is finite

"""How likenesses of the multilingual encoder compare with the English one's, on requests that exist in seven languages."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from edge_models.multilingual.likeness import Scale
from edge_models.pooling import Floats
from edge_models.training.grammar import templates

_RANKS: Final = (0.0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995)
"""Shares of pairs; behind the last one come the translations themselves."""


class Embeds(Protocol):
    """Either encoder."""

    def embed(self, texts: tuple[str, ...]) -> Floats: ...


def requests(language: str) -> tuple[str, ...]:
    """The same list in each language."""
    file = templates("parallel")[language]
    asked = [ask.replace("{topic}", topic) for ask in file["ask"] for topic in file["topic"]]
    return (*asked, *file["sentence"])


def languages() -> tuple[str, ...]:
    """All but English."""
    return tuple(name for name in templates("parallel") if name != "english")


def scale(english: Embeds, multilingual: Embeds) -> Scale:
    """Points of equal rank among pairs of an English request and another one: one in English, one in another language.

    The last point is a translation's: the median likeness of a request to itself in another language counts as 1.
    """
    texts = requests("english")
    theirs = english.embed(texts)
    ours = multilingual.embed(texts)
    other = ~np.eye(len(texts), dtype=bool)
    across, same = [], []
    for language in languages():
        likeness = ours @ multilingual.embed(requests(language)).T
        across.append(likeness[other])
        same.append(np.diag(likeness))
    left = np.quantile(np.concatenate(across), _RANKS)
    right = np.quantile((theirs @ theirs.T)[other], _RANKS)
    translated = max(float(np.median(np.concatenate(same))), float(left[-1]) + 0.01)
    points = [*zip(map(float, left), map(float, right), strict=True), (translated, 1.0)]
    return Scale(tuple((round(one, 4), round(two, 4)) for one, two in points))

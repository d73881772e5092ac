"""Which of several kinds a text is nearest to, by examples of our own: for what nobody has trained a head yet.

Probabilities are a softmax of the likenesses to each kind's examples. How sharp it is was chosen by hand and measured on
nothing: such an answer orders kinds, and is no calibrated probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from daemon.signals.vectors import Vectors

SHARPNESS: Final = 12.0
"""A lead of 0.1 in likeness is 3.3 to 1."""


def contrast(vectors: Vectors, text: str, kinds: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """Each kind's share. Raises Unread."""
    vector = vectors.of(text)
    return shares({kind: vectors.bank(examples).score(vector).score for kind, examples in kinds.items()})


def shares(scores: Mapping[str, float], sharpness: float = SHARPNESS) -> dict[str, float]:
    """Softmax."""
    most = max(scores.values())
    raised = {kind: math.exp(sharpness * (score - most)) for kind, score in scores.items()}
    whole = math.fsum(raised.values())
    return {kind: each / whole for kind, each in raised.items()}

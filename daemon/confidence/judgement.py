"""How sure a draft is, as one number, and what that number is."""

from __future__ import annotations

import math

from msgspec import Struct

from daemon.confidence.features import Features


class Judgement(Struct, frozen=True):
    """score: in [0, 1], what thresholds are held against. seen: what it was made of."""

    score: float
    seen: Features


def plain_score(seen: Features) -> float:
    """The geometric mean of the typical answer token's probability and of the weak spots'.

    It orders answers; it is no probability of being right.
    """
    return math.exp((seen.answer_mean + seen.answer_q10) / 2)

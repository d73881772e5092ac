"""From a score that orders answers to the probability that one is right, and how far such probabilities are off.

Platt's sigmoid needs few labels and knows one form only; isotonic regression takes any rising form and needs many. Under
`ISOTONIC_FROM` labels the sigmoid is fitted, from there on the steps. All of it is plain Python, because the daemon refines
what it has where it runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

ISOTONIC_FROM: Final = 500
"""Labels. Below 200 isotonic steps fit the noise; from 200 to 500 both were tried on recordings and the sigmoid stayed."""
BINS: Final = 10
_STEPS: Final = 100
_TINY: Final = 1e-9
_SURE: Final = 30.0
"""Beyond these log-odds nothing is told apart."""


def sigmoid(log_odds: float) -> float:
    """A probability."""
    bounded = min(max(log_odds, -_SURE), _SURE)
    return 1.0 / (1.0 + math.exp(-bounded))


def log_odds(probability: float) -> float:
    """The other way round, within bounds."""
    kept = min(max(probability, _TINY), 1.0 - _TINY)
    return math.log(kept / (1.0 - kept))


class Platt(Struct, frozen=True, tag="platt"):
    """probability = sigmoid(slope * score + shift)."""

    slope: float
    shift: float

    def probability(self, score: float) -> float:
        """That an answer with this score is right."""
        return sigmoid(self.slope * score + self.shift)


class Isotonic(Struct, frozen=True, tag="isotonic"):
    """Steps that never fall: probability `heights[n]` at score `places[n]`, in between by proportion, flat outside."""

    places: tuple[float, ...]
    heights: tuple[float, ...]

    def probability(self, score: float) -> float:
        """That an answer with this score is right."""
        if score <= self.places[0]:
            return self.heights[0]
        for (left, low), (right, high) in pairwise(zip(self.places, self.heights, strict=True)):
            if score <= right:
                return low + (high - low) * (score - left) / (right - left) if right > left else high
        return self.heights[-1]


Calibration = Platt | Isotonic


def calibrate(scores: Sequence[float], right: Sequence[bool]) -> Calibration:
    """The calibration that so many labels allow. Both of the same length, at least one."""
    return isotonic(scores, right) if len(scores) >= ISOTONIC_FROM else platt(scores, right)


def platt(
    scores: Sequence[float],
    right: Sequence[bool],
    towards: Platt | None = None,
    weight: float = 0.0,
    counts: Sequence[float] | None = None,
) -> Platt:
    """Fit a sigmoid, by Newton's method on smoothed targets, so that no probability becomes 0 or 1.

    towards, weight: where it is held, as if so many labels said it; local outcomes refine a prior in this way. Then targets
    are not smoothed: what they are smoothed by would outweigh a few outcomes, and a wrong one raise what is stated.
    counts: how many labels each label is worth; None: one each.
    Source: Platt (1999); the targets are those of his section 2.2, the step control Lin, Lin and Weng (2007).
    """
    positives = sum(right)
    high, low = (1.0, 0.0) if towards else ((positives + 1) / (positives + 2), 1 / (len(right) - positives + 2))
    targets = [high if each else low for each in right]
    worth = counts if counts is not None else [1.0] * len(targets)
    anchor = towards or Platt(0.0, math.log((positives + 1) / (len(right) - positives + 1)))
    slope, shift = anchor.slope, anchor.shift

    def loss(slope: float, shift: float) -> float:
        total = 0.5 * weight * ((slope - anchor.slope) ** 2 + (shift - anchor.shift) ** 2) / 4
        for score, target, count in zip(scores, targets, worth, strict=True):
            odds = slope * score + shift
            total += count * (max(odds, 0.0) - odds * target + math.log1p(math.exp(-abs(odds))))
        return total

    at = loss(slope, shift)
    for _ in range(_STEPS):
        pull = weight / 4
        h11, h22, h21 = pull + _TINY, pull + _TINY, 0.0
        g1, g2 = pull * (slope - anchor.slope), pull * (shift - anchor.shift)
        for score, target, count in zip(scores, targets, worth, strict=True):
            probability = sigmoid(slope * score + shift)
            curve, gap = count * probability * (1 - probability), count * (probability - target)
            h11, h22, h21 = h11 + score * score * curve, h22 + curve, h21 + score * curve
            g1, g2 = g1 + score * gap, g2 + gap
        if abs(g1) < 1e-7 and abs(g2) < 1e-7:
            break
        determinant = h11 * h22 - h21 * h21
        if determinant <= 0:
            break
        down1, down2 = -(h22 * g1 - h21 * g2) / determinant, -(h11 * g2 - h21 * g1) / determinant
        length = 1.0
        while length > 1e-8 and (next := loss(slope + length * down1, shift + length * down2)) >= at:
            length /= 2
        if length <= 1e-8:
            break
        slope, shift, at = slope + length * down1, shift + length * down2, next
    if slope >= 0:
        return Platt(slope, shift)
    said = math.fsum(count for count, each in zip(worth, right, strict=True) if each)
    return Platt(0.0, log_odds((said + 1) / (math.fsum(worth) + 2)))


def isotonic(scores: Sequence[float], right: Sequence[bool]) -> Isotonic:
    """Pool neighbours until the share of right answers never falls as the score rises.

    Each step's share is smoothed by one right and one wrong answer, so that none becomes 0 or 1.
    Source: Ayer et al. (1955), pool adjacent violators.
    """
    pools: list[tuple[float, int, int]] = []  # (sum of scores, right, all)
    by_score: dict[float, tuple[int, int]] = {}
    for score, each in zip(scores, right, strict=True):
        good, all = by_score.get(score, (0, 0))
        by_score[score] = (good + each, all + 1)
    for score in sorted(by_score):
        good, count = by_score[score]
        pools.append((score * count, good, count))
        while len(pools) > 1 and pools[-2][1] * pools[-1][2] >= pools[-1][1] * pools[-2][2]:
            total, more, others = pools.pop()
            before, good, count = pools.pop()
            pools.append((before + total, good + more, count + others))
    heights: list[float] = []
    for _, good, count in pools:
        height = (good + 1) / (count + 2)
        heights.append(max(height, heights[-1]) if heights else height)
    return Isotonic(tuple(total / count for total, _, count in pools), tuple(heights))


def expected_error(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """Expected calibration error over ten bins of equal width: how far a stated probability is from what comes true."""
    gaps = [0.0] * BINS
    for probability, each in zip(probabilities, right, strict=True):
        gaps[min(int(probability * BINS), BINS - 1)] += each - probability
    return sum(map(abs, gaps)) / len(right) if right else math.nan


def brier(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """The mean squared distance between what was stated and what came true."""
    return (
        sum((p - each) ** 2 for p, each in zip(probabilities, right, strict=True)) / len(right) if right else math.nan
    )

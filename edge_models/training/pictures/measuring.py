"""How good the head is: by kinds, on sources that it was not fitted on, with intervals."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.training.pictures.fitting import chances
from edge_models.training.pictures.gathered import LABELS
from edge_models.vision.kinds import IDENTITY

ENOUGH: Final = 20
"""Fewer pictures of a kind are told, and not counted in its mean."""
_SIDES: Final = 1.96
_DRAWS: Final = 1000


class Share(Struct, frozen=True):
    """hits of count, with the interval that holds the truth 95 times of 100 (Wilson)."""

    hits: int
    count: int

    @property
    def value(self) -> float:
        return self.hits / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        if not self.count:
            return 0.0, 1.0
        n, share, z = self.count, self.value, _SIDES
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}] (n {self.count})"


class OfKind(Struct, frozen=True):
    """recall: of its pictures; precision: of those taken for it."""

    kind: str
    recall: Share
    precision: Share

    @property
    def f1(self) -> float:
        both = self.recall.value + self.precision.value
        return 2 * self.recall.value * self.precision.value / both if both else 0.0


class MeanF1(Struct, frozen=True):
    """value: over the kinds with ENOUGH pictures. interval: of 95 % of resamples."""

    value: float
    interval: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}]"


class Measured(Struct, frozen=True):
    """kinds: those that the set has. mean_f1: None for fewer than two kinds with ENOUGH pictures, of which it says nothing.

    found: identity documents at the threshold. alarms: of everything else, what is taken for one there.
    """

    name: str
    kinds: tuple[OfKind, ...]
    accuracy: Share
    mean_f1: MeanF1 | None
    found: Share
    alarms: Share


def measured(
    name: str, logits: NDArray[Any], truth: NDArray[np.int64], warmth: float, threshold: float, seed: int = 7
) -> Measured:
    """What a head says of a set. logits: (n, labels). truth: (n,), places in LABELS."""
    shares = chances(logits, warmth)
    guess = shares.argmax(axis=1)
    kinds = of_kinds(truth, guess)
    counted = [LABELS.index(each.kind) for each in kinds if each.recall.count >= ENOUGH]
    place = LABELS.index(IDENTITY)
    alarm, identity = shares[:, place] >= threshold, truth == place
    return Measured(
        name,
        kinds,
        Share(int((guess == truth).sum()), len(truth)),
        _resampled(truth, guess, counted, seed) if len(counted) > 1 else None,
        Share(int((alarm & identity).sum()), int(identity.sum())),
        Share(int((alarm & ~identity).sum()), int((~identity).sum())),
    )


def _resampled(truth: NDArray[Any], guess: NDArray[Any], places: list[int], seed: int) -> MeanF1:
    random = np.random.default_rng(seed)
    draws = [random.integers(0, len(truth), len(truth)) for _ in range(_DRAWS)]
    found = [mean_f1(truth[draw], guess[draw], places) for draw in draws]
    low, high = np.percentile(found, [2.5, 97.5])
    return MeanF1(mean_f1(truth, guess, places), (float(low), float(high)))


def of_kinds(truth: NDArray[Any], guess: NDArray[Any]) -> tuple[OfKind, ...]:
    """Of each kind that is there."""
    found = []
    for place, label in enumerate(LABELS):
        true, told = truth == place, guess == place
        if true.any():
            hits = int((true & told).sum())
            found.append(OfKind(label, Share(hits, int(true.sum())), Share(hits, int(told.sum()))))
    return tuple(found)


def mean_f1(truth: NDArray[Any], guess: NDArray[Any], places: list[int]) -> float:
    """The mean F1 of those kinds, at least one."""
    values = []
    for place in places:
        true, told = truth == place, guess == place
        both = int(true.sum()) + int(told.sum())
        values.append(2 * int((true & told).sum()) / both if both else 1.0)
    return float(np.mean(values))


def line(each: Measured) -> str:
    """A row of a table in Markdown."""
    shares = (share if share.count else "–" for share in (each.found, each.alarms))
    told = (each.name, each.accuracy.count, each.mean_f1 or "–", each.accuracy, *shares)
    return f"| {' | '.join(map(str, told))} |"


def numbers(each: Measured) -> dict[str, float]:
    """For machines. right: the share whose likeliest kind is theirs."""
    mean = {"macro_f1": each.mean_f1.value} if each.mean_f1 else {}
    return {"pictures": each.accuracy.count, "right": each.accuracy.value} | mean


def details(each: Measured) -> str:
    """Kind by kind, in Markdown."""
    rows = [f"| {kind.kind} | {kind.recall} | {kind.precision.value:.3f} | {kind.f1:.3f} |" for kind in each.kinds]
    return "\n".join(["| kind | recall | precision | F1 |", "|---|---|---|---|", *rows])

"""A threshold that keeps its promise: of the answers that stay here, at most so many are wrong, with so much certainty.

Theory of operation. Thresholds are tried from strict to lax on a grid that was fixed before any data was seen. At each, the
kept answers are counted, and how many of them are wrong; Clopper and Pearson's upper bound of the true share has to be at
most `risk`. The first threshold that fails ends the walk, and the last one that held is certified. Since the walk ends at
the first failure, testing many thresholds costs no certainty (fixed-sequence testing). Thresholds that keep fewer answers
than a bound could ever hold on are passed over: that depends on scores and not on labels, and is sound as long as laxer
thresholds are not safer ones.

The promise holds for questions like those that it was calibrated on, and for the *residual*: what a tier really sees. The
second tier's answers are counted only where the first one's were not kept, and the certainty is shared among the tiers.
"At most 5 % wrong" is stricter than "at most 5 % worse than the cloud": who kept answers for which the cloud is wrong too
has lost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log, log1p
from typing import Final

from msgspec import Struct

RISK: Final = 0.05
DELTA: Final = 0.05
"""At most this share wrong, and this chance that it is more."""
GRID: Final = tuple(round(0.99 - 0.01 * step, 2) for step in range(98))
"""Probabilities, from 0.99 down to 0.02."""
MANY: Final = 100_000
"""Labels beyond which nobody goes."""
SAID: Final = 20
"""Kept answers without which nothing is said of how many more would be needed."""


class Certificate(Struct, frozen=True):
    """What can be promised. threshold: of the calibrated probability; None: nothing, and nothing is kept on its account.

    labels: that it was judged by. kept, wrong: at the threshold, or at the best one if none held. bound: of the share of
    wrong ones. more: how many more labels would be needed, were they like these; None: no number of them would help.
    """

    threshold: float | None
    labels: int
    kept: int
    wrong: int
    bound: float
    risk: float = RISK
    delta: float = DELTA
    more: int | None = 0

    @property
    def certified(self) -> bool:
        """Whether anything is promised."""
        return self.threshold is not None


def upper_bound(wrong: int, kept: int, delta: float = DELTA) -> float:
    """The largest share of wrong answers that is still compatible with what was seen; 1 where nothing was.

    Source: Clopper and Pearson, Biometrika 26 (1934), 404-413, one-sided; bisection over the binomial sum.
    """
    if wrong >= kept:
        return 1.0
    low, high = wrong / kept, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(wrong, kept, middle) > delta else (low, middle)
    return high


def _at_most(wrong: int, kept: int, share: float) -> float:
    """The chance of so few wrong ones at this true share."""
    ways = (lgamma(kept + 1) - lgamma(n + 1) - lgamma(kept - n + 1) for n in range(wrong + 1))
    return sum(exp(way + n * log(share) + (kept - n) * log1p(-share)) for n, way in enumerate(ways))


def holds(wrong: int, kept: int, risk: float, delta: float) -> bool:
    """Whether the bound is at most `risk`: one sum instead of a bisection."""
    return wrong < kept and wrong / kept <= risk and _at_most(wrong, kept, risk) <= delta


def fewest(risk: float = RISK, delta: float = DELTA) -> int:
    """How many kept answers a bound needs if not one of them is wrong: 59 for 5 % and 95 %."""
    kept = 1
    while not holds(0, kept, risk, delta):
        kept += 1
    return kept


def certify(
    probabilities: Sequence[float], right: Sequence[bool], risk: float = RISK, delta: float = DELTA
) -> Certificate:
    """Walk the grid. The calibration that made the probabilities must not have seen these labels."""
    pairs = sorted(zip(probabilities, right, strict=True), reverse=True)
    least = fewest(risk, delta)
    found: tuple[float, int, int] | None = None  # (threshold, kept, wrong)
    best: tuple[float, int, int] | None = None  # (how likely at `risk`, kept, wrong)
    place = wrong = 0
    for threshold in GRID:
        while place < len(pairs) and pairs[place][0] >= threshold:
            wrong += not pairs[place][1]
            place += 1
        if place == 0:
            continue
        likely = _at_most(wrong, place, risk) if wrong < place else 1.0
        if place >= min(SAID, len(pairs)) and (best is None or likely < best[0]):
            best = (likely, place, wrong)
        if place < least:
            continue
        if not holds(wrong, place, risk, delta):
            break
        found = (threshold, place, wrong)
    if found is not None:
        threshold, kept, wrong = found
        return Certificate(threshold, len(pairs), kept, wrong, upper_bound(wrong, kept, delta), risk, delta)
    _, kept, wrong = best or (1.0, 0, 0)
    more = _more(len(pairs), kept, wrong, risk, delta)
    return Certificate(None, len(pairs), kept, wrong, upper_bound(wrong, kept, delta), risk, delta, more)


def _more(labels: int, kept: int, wrong: int, risk: float, delta: float) -> int | None:
    """How many more labels, if the same share is kept and wrong among them."""
    if kept == 0:
        return fewest(risk, delta) if labels == 0 else None
    share = wrong / kept
    if share >= risk:
        return None
    needed = max(kept, fewest(risk, delta))
    while not holds(round(share * needed), needed, risk, delta):
        needed = needed + max(1, needed // 50)
        if needed > MANY:
            return None
    return max(round(needed / kept * labels) - labels, 1)

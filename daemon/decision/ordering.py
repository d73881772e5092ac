"""Which of the decisions that match is taken.

Theory of operation. Upstream v0.3 orders by tier, confidence, priority and name, and its own proposal
"decision-ranking-semantics" lists what is wrong with that; here it is right:

- A catch-all comes after everything that asks for something, whatever its priority or tier: upstream's wins whenever its
  number is high, and then no rule below it can ever be reached.
- Within a tier the strategy counts. Upstream's branch for tiers orders by confidence even under `strategy: priority`.
- A decision without a tier comes after all that have one.
- Confidence orders only what can be compared: every match in the group has a measured score, and all on one scale. A cosine
  of 0.8 and a probability of 0.7 don't compare; a keyword has no score at all. Otherwise priority decides, then the name.
- More evidence never lowers a decision below one with less of the same: an AND's score is its weakest measured part and not
  the mean, into which upstream counts each NOT and keyword as 1.0. OR takes its strongest measured part.

Names end every tie, so the order of a file never matters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby
from typing import Literal, NamedTuple

from daemon.recipes.model import Strategy


class Measure(NamedTuple):
    """How sure, and on which scale: the signal's name."""

    scale: str
    score: float


class Standing(NamedTuple):
    """A decision that matches, or may. measure: None if its score can't be compared. tier 0: none.

    vague: whether its measure would be another one if all signals had looked.
    """

    name: str
    priority: int = 0
    tier: int = 0
    catch_all: bool = False
    measure: Measure | None = None
    vague: bool = False


Reason = Literal["only", "rule", "tier", "confidence", "priority", "name"]


def rank(standings: Iterable[Standing], strategy: Strategy) -> list[Standing]:
    """The best first."""
    ranked: list[Standing] = []
    for _, group in groupby(sorted(standings, key=_group), key=_group):
        members = list(group)
        if strategy == "confidence" and comparable(members):
            ranked += sorted(members, key=lambda each: (-_score(each), -each.priority, each.name))
        else:
            ranked += _by_priority(members)
    return ranked


def why(ranked: list[Standing], strategy: Strategy) -> Reason:
    """What put the first before the second."""
    if len(ranked) < 2:
        return "only"
    first, second = ranked[:2]
    if first.catch_all != second.catch_all:
        return "rule"
    if _group(first) != _group(second):
        return "tier"
    members = [each for each in ranked if _group(each) == _group(first)]
    if strategy == "confidence" and comparable(members):
        if _score(first) != _score(second):
            return "confidence"
        return "name" if first.priority == second.priority else "priority"
    if first.priority != second.priority:
        return "priority"
    peers = [each for each in members if each.priority == first.priority]
    return "confidence" if comparable(peers) and _score(first) != _score(second) else "name"


def could_win(doubtful: Standing, winner: Standing | None, strategy: Strategy) -> bool:
    """Whether a decision whose match isn't known might be taken, were it known. Errs on the side of yes."""
    if winner is None:
        return True
    if _group(doubtful) != _group(winner):
        return _group(doubtful) < _group(winner)
    return strategy == "confidence" or doubtful.priority >= winner.priority


def comparable(standings: list[Standing]) -> bool:
    """Whether all have a score, on one scale."""
    scales = {each.measure.scale if each.measure else None for each in standings}
    return len(scales) == 1 and None not in scales


def _group(standing: Standing) -> tuple[bool, float]:
    return (standing.catch_all, standing.tier or math.inf)


def _score(standing: Standing) -> float:
    return standing.measure.score if standing.measure else 0.0


def _by_priority(members: list[Standing]) -> list[Standing]:
    ranked: list[Standing] = []
    for _, group in groupby(sorted(members, key=lambda each: -each.priority), key=lambda each: each.priority):
        peers = list(group)
        compare = comparable(peers)
        ranked += sorted(peers, key=lambda each: (-_score(each) if compare else 0.0, each.name))
    return ranked

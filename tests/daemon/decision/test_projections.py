"""Partitions, sums and bands."""

from __future__ import annotations

import math

import pytest

from daemon.decision.intervals import Interval
from daemon.decision.projections import Board, Projections
from daemon.decision.seen import FALSE, TRUE, UNKNOWN, Seen
from daemon.decision.slots import Slots
from daemon.recipes.files import read_recipe
from daemon.signals.base import Kind, Observation

PARTITION = """
SIGNAL domain law {{}} SIGNAL domain math {{}} SIGNAL domain other {{}}
PROJECTION partition p {{ semantics: "{semantics}" temperature: 0.1 members: ["law", "math", "other"] default: "other" }}
"""
SUM = """
SIGNAL pii p {} SIGNAL keyword k { keywords: ["a"] } SIGNAL jailbreak j {} SIGNAL structure s {
  feature: { type: "count", source: { type: "text_bytes" } } }
PROJECTION score risk { inputs: [
  { type: "pii", name: "p", weight: 0.5, match: 0.8, miss: 0.1 },
  { type: "keyword", name: "k", weight: 0.3, value_source: "confidence" },
  { type: "jailbreak", name: "j", weight: -0.4, value_source: "confidence" },
  { type: "structure", name: "s", weight: 0.001, value_source: "raw" },
  { type: "kb_metric", kb: "base", metric: "margin", weight: 2, value_source: "score" }] }
PROJECTION score sum { inputs: [
  { type: "projection", name: "risk", weight: 10 },
  { type: "projection", name: "high", weight: 1, value_source: "confidence" }] }
PROJECTION mapping m { source: "risk" calibration: { slope: 10 } outputs: [
  { name: "low", lt: 0.5 }, { name: "high", gte: 0.5 }] }
PROJECTION mapping n { source: "sum" method: "multi_emit" outputs: [{ name: "some", gt: 0 }, { name: "much", gt: 5 }] }
"""


def observation(signal: str, name: str, score: float = 1.0, value: float | None = None) -> Observation:
    return Observation(signal=signal, kind=Kind.ROUTE, name=name, score=score, value=value)


class Projected:
    """A request on a recipe's board."""

    def __init__(self, recipe: str, *observations: Observation, looked: str) -> None:
        self.slots = Slots()
        projections = Projections(read_recipe(recipe, "dsl").routing, self.slots)
        self.board = Board(Seen(observations, frozenset(looked.split())), self.slots)
        self.contests = projections.partition(self.board)
        projections.project(self.board)

    def truth(self, type: str, name: str) -> int:
        return self.board.truths[self.slots.number(type, name)]

    def score(self, type: str, name: str) -> float | None:
        return self.board.scores.get(self.slots.number(type, name))


def test_an_exclusive_partition_keeps_the_surest() -> None:
    """The others no longer match; the winner keeps its score."""
    found = Projected(
        PARTITION.format(semantics="exclusive"),
        observation("domain", "law", 0.6),
        observation("domain", "math", 0.7),
        looked="domain",
    )

    assert [found.truth("domain", name) for name in ("law", "math", "other")] == [FALSE, TRUE, FALSE]
    assert found.score("domain", "math") == 0.7
    assert found.contests[0].margin == pytest.approx(0.1)


def test_a_softmax_partition_shares() -> None:
    """The winner's score is its share, at the partition's temperature."""
    found = Projected(
        PARTITION.format(semantics="softmax_exclusive"),
        observation("domain", "law", 0.6),
        observation("domain", "math", 0.7),
        looked="domain",
    )

    assert found.score("domain", "math") == pytest.approx(1 / (1 + math.exp(-1)))


def test_who_has_no_rival_keeps_its_score() -> None:
    """As upstream has it."""
    found = Projected(
        PARTITION.format(semantics="softmax_exclusive"), observation("domain", "law", 0.6), looked="domain"
    )

    assert found.score("domain", "law") == 0.6
    assert not found.contests[0].default_used


def test_the_default_stands_in() -> None:
    """It matches if none does, and nobody measured it."""
    found = Projected(PARTITION.format(semantics="exclusive"), looked="domain")

    assert found.truth("domain", "other") == TRUE
    assert found.score("domain", "other") is None
    assert found.contests[0].default_used


def test_equal_scores_go_by_name() -> None:
    """And not by the order of the file."""
    found = Projected(
        PARTITION.format(semantics="exclusive"),
        observation("domain", "math", 0.6),
        observation("domain", "law", 0.6),
        looked="domain",
    )

    assert found.contests[0].winner == "law"


def test_nothing_is_known_of_a_partition_that_nobody_looked_at() -> None:
    """Not even that its default stands in."""
    found = Projected(PARTITION.format(semantics="exclusive"), looked="")

    assert {found.truth("domain", name) for name in ("law", "math", "other")} == {UNKNOWN}
    assert found.contests[0].winner is None


def test_a_sum() -> None:
    """Every kind of input, with a known value each."""
    found = Projected(
        SUM,
        observation("pii", "p", 0.9),
        observation("keyword", "k", 0.75),
        observation("structure", "s", value=100.0),
        observation("kb_metric", "base:margin", value=0.2),
        looked="pii keyword jailbreak structure kb_metric",
    )

    expected = 0.5 * 0.8 + 0.3 * 0.75 + 0.0 + 0.001 * 100 + 2 * 0.2
    assert found.board.sums["risk"] == Interval(pytest.approx(expected), pytest.approx(expected))
    assert found.truth("projection", "high") == TRUE
    assert found.score("projection", "high") == pytest.approx(1 / (1 + math.exp(-10 * (expected - 0.5))))
    high = found.score("projection", "high")
    assert high is not None
    assert found.board.sums["sum"].low == pytest.approx(10 * expected + high)
    assert (found.truth("projection", "some"), found.truth("projection", "much")) == (TRUE, TRUE)


def test_a_miss_counts_as_the_recipe_says() -> None:
    """`miss` for a rule that didn't match, 0 for a confidence."""
    found = Projected(SUM, looked="pii keyword jailbreak structure kb_metric")

    assert found.board.sums["risk"].low == pytest.approx(0.5 * 0.1)
    assert found.truth("projection", "low") == TRUE


def test_what_nobody_looked_at_makes_a_range() -> None:
    """A rule gives `miss` to `match`, a confidence 0 to 1, with the sign of its weight."""
    found = Projected(
        SUM,
        observation("keyword", "k", 1.0),
        observation("kb_metric", "base:margin", value=0.0),
        looked="keyword structure",
    )

    low, high = found.board.sums["risk"]
    assert (low, high) == (pytest.approx(0.05 + 0.3 - 0.4), pytest.approx(0.4 + 0.3))
    assert (found.truth("projection", "low"), found.truth("projection", "high")) == (UNKNOWN, UNKNOWN)


def test_a_band_may_hold_although_not_all_is_known() -> None:
    """If the whole range lies in it; a sum with an unbounded part says nothing."""
    sure = Projected(SUM, observation("kb_metric", "base:margin", value=0.5), looked="keyword pii structure")
    unbounded = Projected(SUM, looked="keyword pii jailbreak structure")

    assert sure.board.sums["risk"] == Interval(pytest.approx(0.65), pytest.approx(1.05))
    assert sure.truth("projection", "high") == TRUE
    assert sure.score("projection", "high") == pytest.approx(1 / (1 + math.exp(-10 * 0.15)))  # the nearer end
    assert unbounded.truth("projection", "high") == UNKNOWN

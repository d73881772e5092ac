"""Which decision is taken: the table is the rule, and each line says why."""

from __future__ import annotations

import random

import pytest

from daemon.decision.ordering import Measure, Reason, Standing, could_win, rank, why
from daemon.recipes.model import Strategy


def decision(
    name: str,
    priority: int = 0,
    tier: int = 0,
    measure: tuple[str, float] | None = None,
    catch_all: bool = False,
) -> Standing:
    return Standing(name, priority, tier, catch_all, Measure(*measure) if measure else None)


TABLE: list[tuple[str, Strategy, list[Standing], list[str], Reason]] = [
    ("nobody else is there", "priority", [decision("a")], ["a"], "only"),
    ("the higher priority wins", "priority", [decision("a", 1), decision("b", 2)], ["b", "a"], "priority"),
    ("names end every tie", "priority", [decision("b"), decision("a")], ["a", "b"], "name"),
    (
        "upstream lets a catch-all win by a high number, and nothing below it is ever reached: here it comes last",
        "priority",
        [decision("rest", 900, catch_all=True), decision("a", 1)],
        ["a", "rest"],
        "rule",
    ),
    (
        "nor does a low tier lift a catch-all",
        "priority",
        [decision("rest", tier=1, catch_all=True), decision("a", tier=9)],
        ["a", "rest"],
        "rule",
    ),
    (
        "catch-alls among themselves go by priority",
        "priority",
        [decision("rest", 1, catch_all=True), decision("other", 2, catch_all=True)],
        ["other", "rest"],
        "priority",
    ),
    ("a lower tier comes first, whatever the priority", "priority", [decision("a", 9, 2), decision("b", 1, 1)], ["b", "a"], "tier"),
    ("no tier comes after every tier", "priority", [decision("a", 9), decision("b", 1, 7)], ["b", "a"], "tier"),
    (
        "upstream orders a tier by confidence even under `priority`: here the strategy counts",
        "priority",
        [decision("a", 1, 1, ("domain", 0.9)), decision("b", 2, 1, ("domain", 0.6))],
        ["b", "a"],
        "priority",
    ),
    (
        "under `confidence` the surer one wins within its tier",
        "confidence",
        [decision("a", 1, 1, ("domain", 0.9)), decision("b", 2, 1, ("domain", 0.6))],
        ["a", "b"],
        "confidence",
    ),
    (
        "and not across tiers",
        "confidence",
        [decision("a", 1, 2, ("domain", 0.9)), decision("b", 2, 1, ("domain", 0.6))],
        ["b", "a"],
        "tier",
    ),
    (
        "equally sure ones go by priority",
        "confidence",
        [decision("a", 1, measure=("domain", 0.9)), decision("b", 2, measure=("domain", 0.9))],
        ["b", "a"],
        "priority",
    ),
    (
        "equally sure ones of one priority go by name",
        "confidence",
        [decision("b", 1, measure=("domain", 0.9)), decision("a", 1, measure=("domain", 0.9))],
        ["a", "b"],
        "name",
    ),
    (
        "a cosine and a probability don't compare, so priority decides",
        "confidence",
        [decision("a", 1, measure=("embedding", 0.9)), decision("b", 2, measure=("domain", 0.6))],
        ["b", "a"],
        "priority",
    ),
    (
        "upstream takes a keyword for 1.0: here it is policy, has no score, and priority decides",
        "confidence",
        [decision("word", 1), decision("sure", 2, measure=("domain", 0.6))],
        ["sure", "word"],
        "priority",
    ),
    (
        "one that can't be compared is enough: a mixture of two orders would be none",
        "confidence",
        [decision("a", 3), decision("b", 1, measure=("domain", 0.9)), decision("c", 2, measure=("domain", 0.6))],
        ["a", "c", "b"],
        "priority",
    ),
    (
        "a catch-all has no score, and takes none from the others",
        "confidence",
        [decision("rest", 9, catch_all=True), decision("a", 1, measure=("domain", 0.9)), decision("b", 2, measure=("domain", 0.6))],
        ["a", "b", "rest"],
        "confidence",
    ),
    (
        "under `priority` the surer of one priority wins",
        "priority",
        [decision("a", 1, measure=("domain", 0.6)), decision("b", 1, measure=("domain", 0.9))],
        ["b", "a"],
        "confidence",
    ),
    (
        "among those of one priority that don't compare the name decides",
        "priority",
        [decision("b", 1, measure=("domain", 0.9)), decision("a", 1)],
        ["a", "b"],
        "name",
    ),
    ("a priority may be negative", "priority", [decision("a", -1), decision("b", 0)], ["b", "a"], "priority"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "strategy", "standings", "order", "by"), TABLE, ids=[line[0][:60] for line in TABLE]
)
def test_the_table(reason: str, strategy: Strategy, standings: list[Standing], order: list[str], by: Reason) -> None:
    """Each line of the table holds, in whatever order a file has its decisions."""
    seeded = random.Random(0)
    for _ in range(6):
        seeded.shuffle(standings)

        ranked = rank(standings, strategy)

        assert [each.name for each in ranked] == order, reason
        assert why(ranked, strategy) == by, reason


@pytest.mark.parametrize(
    ("doubtful", "strategy", "may"),
    [
        (decision("x", 9), "priority", True),
        (decision("x", 5), "priority", True),
        (decision("x", 4), "priority", False),
        (decision("x", 4), "confidence", True),
        (decision("x", 4, tier=1), "priority", True),
        (decision("x", 9, catch_all=True), "priority", False),
    ],
)
def test_who_might_have_won(doubtful: Standing, strategy: Strategy, may: bool) -> None:
    """A decision whose match isn't known counts as a rival, unless it could never come before the winner."""
    assert could_win(doubtful, decision("winner", 5), strategy) is may
    assert could_win(doubtful, None, strategy)

"""Which rules a decision can reach."""

from __future__ import annotations

from daemon.decision.reach import reached
from daemon.recipes.files import read_recipe
from daemon.recipes.vocabulary import FAMILIES

RECIPE = """
SIGNAL keyword used { keywords: ["a"] }
SIGNAL keyword unused { keywords: ["b"] }
SIGNAL context composed { min_tokens: "1K" }
SIGNAL domain member {}
SIGNAL domain rival {}
SIGNAL domain alone {}
SIGNAL pii summed {}
SIGNAL language also {}
SIGNAL kb measured { kb: "base" target: { kind: "label" value: "x" } }
SIGNAL kb other { kb: "other" target: { kind: "label" value: "x" } }
SIGNAL complexity hard {
  threshold: 0.1
  hard: { candidates: ["x"] }
  easy: { candidates: ["y"] }
  composer: { operator: "AND" conditions: [{ type: "context" name: "composed" }] }
}
PROJECTION partition fields { members: ["member", "rival"] default: "member" }
PROJECTION score risk {
  inputs: [{ type: "pii" name: "summed" weight: 1 }, { type: "kb_metric" kb: "base" metric: "best_score" weight: 1 }]
}
PROJECTION score more { inputs: [{ type: "projection" name: "risk" weight: 1 }, { type: "language" name: "also" weight: 1 }] }
PROJECTION mapping band { source: "more" outputs: [{ name: "risky" gte: 1 }] }
ROUTE a { WHEN keyword("used") AND projection("risky") }
SIGNAL authz binding { role: "boss" subjects: [{ kind: "User" name: "zed" }] }
SIGNAL authz unbound { role: "other" subjects: [{ kind: "User" name: "zed" }] }
ROUTE b { WHEN complexity("hard:hard") OR domain("member") OR authz("boss") }
"""


def names(recipe: str) -> set[str]:
    signals = reached(read_recipe(recipe, "dsl").routing)
    return {rule.name for section in FAMILIES.values() for rule in getattr(signals, section)}


def test_what_can_be_asked_for_stays() -> None:
    """Through levels, composers, partitions, bands, sums of sums and metrics of knowledge bases."""
    assert names(RECIPE) == {"used", "composed", "member", "rival", "summed", "also", "measured", "hard", "binding"}


def test_without_decisions_nothing_is_looked_for() -> None:
    """A catch-all asks for nothing either."""
    assert names('SIGNAL keyword k { keywords: ["x"] } ROUTE rest {}') == set()


def test_fields_that_a_mismatch_names_are_looked_for() -> None:
    """By rules of theirs, where it names such."""
    recipe = """
    SIGNAL domain clinic { mmlu_categories: ["health"] }
    SIGNAL domain alone {}
    SIGNAL image away { mismatch: { domains: ["clinic", "law"] kinds: ["medical"] } }
    ROUTE r { WHEN image("away") }
    """

    assert names(recipe) == {"away", "clinic"}

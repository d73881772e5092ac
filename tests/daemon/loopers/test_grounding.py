"""How far answers support each other."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from daemon.loopers.gathering import Answer
from daemon.loopers.grounding import grounded, kept
from daemon.recipes.algorithms import Grounding
from providers.contract import Text
from tests.fakes.panel import Panel


def answers(*texts: str) -> tuple[Answer, ...]:
    return tuple(
        Answer(Candidate("local", "a"), Errand(f"panel-{n}", "panel"), (Text(text),), "stop")
        for n, text in enumerate(texts)
    )


def by_equality(premise: str, hypothesis: str) -> dict[str, float]:
    return {"entailment": float(premise == hypothesis), "contradiction": float(premise != hypothesis)}


async def test_support_and_contradiction() -> None:
    """One of three that both others contradict has nothing; the two have what upstream's formula gives them."""
    ask = Panel({})
    ask.entailment = by_equality

    scores = await grounded(answers("x", "x", "y"), Grounding(enabled=True), ask)

    assert scores == {"panel-0": 0.5, "panel-1": 0.5, "panel-2": 0.0}
    softer = await grounded(answers("x", "x", "y"), Grounding(enabled=True, nli_contradiction_penalty=0.0), ask)
    assert softer == {"panel-0": 0.5, "panel-1": 0.5, "panel-2": 0.0}


async def test_without_a_model() -> None:
    """Nothing is known then."""
    assert await grounded(answers("x", "y"), Grounding(enabled=True), Panel({})) == {}


@pytest.mark.parametrize("policy", [None, "weight", "annotate"])
def test_nobody_is_left_out_unless_that_is_said(policy: object) -> None:
    """Scores are told, not acted on."""
    three = answers("x", "y", "z")
    options = Grounding(enabled=True, policy=policy, min_score=0.9)  # type: ignore[arg-type]

    assert kept(three, {"panel-0": 1.0, "panel-1": 0.0, "panel-2": 0.0}, options, Panel({})) == three


def test_filter_protects_who_stands_alone() -> None:
    """Whoever is below the mark goes, but for the one that says what nobody else does, and for `min_keep`."""
    ask = Panel({})
    four = answers("one", "one", "two", "Long words that can't be compared with any of the others, and go.")
    scores = {"panel-0": 0.9, "panel-1": 0.4, "panel-2": 0.1, "panel-3": 0.2}

    left = kept(four, scores, Grounding(enabled=True, policy="filter", min_score=0.5), ask)

    assert [each.text for each in left] == ["one", "two"]
    assert ask.notes == ["filtered"]
    most = kept(
        four, dict.fromkeys(scores, 0.0), Grounding(enabled=True, policy="filter", min_score=0.5, min_keep=4), ask
    )
    assert most == four

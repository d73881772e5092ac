"""Tests of a recipe in use."""

from __future__ import annotations

import asyncio

import pytest

from daemon.errors import NoCandidate
from daemon.recipes.files import read_recipe
from daemon.routing.live import Pricing, known_of
from tests.fakes.asking import asking
from tests.fakes.routing import recipe

RECIPE = """
SIGNAL keyword code { keywords: ["code"] }
SIGNAL keyword unused { keywords: ["code"] }
SIGNAL domain law {}
PROJECTION score effort { inputs: [{ type: "keyword", name: "code", weight: 1 }] }
PROJECTION mapping effort_band { source: "effort" outputs: [{ name: "hard", gte: 0.5 }, { name: "easy", lt: 0.5 }] }
MODEL local {}
ROUTE code { PRIORITY 2 WHEN projection("hard") MODEL "local" }
ROUTE law { WHEN domain("law") MODEL "local" }
"""


async def test_a_verdict() -> None:
    """What its signals see is what its decisions are taken on."""
    live = recipe(RECIPE)

    verdict = live.verdict(await live.observe(asking("my code breaks")))

    assert verdict.decision
    assert verdict.decision.name == "code"
    assert [ref.model for ref in verdict.refs] == ["local"]


async def test_matched_rules() -> None:
    """Those that hold and that something asks for, bands too."""
    live = recipe(RECIPE)

    assert live.matched(await live.observe(asking("my code breaks"))) == {"keyword": ("code",), "projection": ("hard",)}


async def test_refusing_what_cannot_be_judged() -> None:
    """`fail_request` is an error that names the decision, not a guess."""
    live = recipe(RECIPE.replace("ROUTE law {", 'ROUTE law (on_unknown = "fail_request") { PRIORITY 3'))

    with pytest.raises(NoCandidate, match="law"):
        live.verdict(await live.observe(asking("is this contract valid?")))


async def test_retiring_waits_for_those_who_look() -> None:
    """A look that had begun ends with what it saw, and the next one after that sees nothing any more."""
    live = recipe(RECIPE)
    looking = asyncio.create_task(live.observe(asking("code " * 2000)))
    await asyncio.sleep(0)

    live.retire()
    seen = await looking

    assert live.verdict(seen).outcome.decision == "code"
    assert all(each.error is None for each in seen if each.signal == "keyword")


def test_what_a_file_says_of_models() -> None:
    """Cards, prices and defaults; where the models are is not read."""
    file = read_recipe(
        """
version: v0.3
providers:
  defaults: {default_model: m, default_reasoning_effort: low}
  models:
    - {name: m, pricing: {prompt_per_1m: 1.5, currency: USD}, backend_refs: [{endpoint: "x:1"}]}
routing:
  modelCards: [{name: m, quality_score: 0.7}]
""",
        "yaml",
    )

    known = known_of(file.routing, file.providers)

    assert known.cards["m"].quality_score == 0.7
    assert known.prices["m"] == Pricing(1.5)
    assert (known.default, known.effort) == ("m", "low")

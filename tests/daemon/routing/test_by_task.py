"""The example recipe of docs/loopers.md does what it says, with the small models that are shipped."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from daemon.recipes.loading import load
from daemon.routing.edition import House, edition_of
from daemon.routing.live import Live
from daemon.routing.settling import settle
from daemon.routing.sources import Source
from daemon.signals.parts import Parts
from tests.fakes.asking import asking
from tests.fakes.routing import OFFER, PRIVATE, chooser, scene

FILE: Final = Path(__file__).resolve().parents[3] / "docs" / "by-task.dsl"
WITH_MODELS: Final = House(lambda bases, embedder: Parts(guard=True, bases=bases, embedder=embedder), {}, 60.0)


def example() -> Live:
    return edition_of(Source("by-task", FILE.read_text(), "dsl", Path(), FILE), WITH_MODELS).lives["default"]


def test_it_asks_for_nothing_that_is_missing() -> None:
    """No part of it is left out here."""
    assert [each for each in load(FILE.read_text(), "dsl").problems if each.severity != "note"] == []


async def test_the_kind_of_work_decides() -> None:
    """Each line of its own tests comes to the decision that it says, and that decision to its looper."""
    recipe, loopers = example(), {"choosing": "ratings", "coding": "fusion", "reasoning": "remom"}
    for case in [case for block in recipe.routing.tests for case in block.cases]:
        verdict = recipe.verdict(await recipe.observe(asking(case.query)))
        decided = await settle(recipe, verdict, scene(offer=replace(OFFER, local=("small", "second"))), chooser())

        assert verdict.outcome.decision == case.route, case.query
        assert decided.looper == loopers.get(case.route, decided.looper)
        assert (decided.way is not None) == (case.route in loopers)


async def test_what_has_to_stay_is_answered_by_local_models() -> None:
    """The same loopers run, and nobody in the cloud is among those that they may ask."""
    recipe = example()
    for case in [case for block in recipe.routing.tests for case in block.cases]:
        verdict = recipe.verdict(await recipe.observe(asking(case.query)))
        here = scene(PRIVATE, replace(OFFER, local=("small", "second"), near=()))
        decided = await settle(recipe, verdict, here, chooser())

        assert {each.provider for each in decided.candidates} == {"local"}
        assert decided.way is None or set(decided.way.names) <= {"local", "local/second"}

"""Classifiers of the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.decision.engine import Engine
from daemon.decision.seen import Seen
from daemon.recipes.files import read_recipe
from daemon.signals.own_classifiers import OwnClassifiers
from daemon.signals.registry import FAMILIES
from tests.fakes.asking import observed, without_models
from tests.fakes.encoders import tiny_classifier

RECIPE = """
SIGNAL classifier own { type: "local" labels: ["good", "bad"] model_path: "tiny" }
SIGNAL classifier other { type: "local" labels: ["good", "evil"] model_path: "tiny" }
SIGNAL classifier outside { type: "local" labels: ["good", "bad"] model_path: "../tiny" }
SIGNAL classifier asked { type: "llm" labels: ["a", "b"] model: "m" }
ROUTE blocked { WHEN classifier("own", label: "bad", predicate: { gte: 0.9 }) }
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnClassifiers]:
    folder = tmp_path_factory.mktemp("classifiers") / "mine"
    tiny_classifier(folder / "tiny")
    tiny_classifier(folder.parent / "tiny")
    found = OwnClassifiers(folder)
    yield found
    found.close()


@pytest.mark.parametrize(("text", "label", "route"), [("alice met bob", "good", None), ("bad bad", "bad", "blocked")])
async def test_labels_and_their_scores(own: OwnClassifiers, text: str, label: str, route: str | None) -> None:
    """The most probable label matches, and conditions can test any label's score."""
    seen = await observed(RECIPE, text, parts=without_models(classifiers=own))
    told = [each for each in seen if each.signal == "classifier" and each.name == "own"]

    assert [each.label for each in told if each.matched] == [label]
    assert sum(each.score for each in told) == pytest.approx(1)
    engine = Engine(read_recipe(RECIPE, "dsl").routing)
    assert engine.decide(Seen(seen, frozenset(FAMILIES))).decision == route


async def test_what_can_not_be_asked_says_so(own: OwnClassifiers) -> None:
    """Other labels than the model's, a directory outside of the user's folder, a model that somebody else serves."""
    seen = await observed(RECIPE, "bad", parts=without_models(classifiers=own))

    assert {each.name: each.error for each in seen if each.error} == {
        "other": "OtherLabels",
        "outside": "NoModel",
        "asked": "NotHere",
    }


async def test_without_a_folder_there_are_none(tmp_path: Path) -> None:
    """A recipe opens nothing that the settings don't allow."""
    seen = await observed(RECIPE, "bad", parts=without_models())

    assert {each.error for each in seen if each.signal == "classifier"} == {"NoModel", "NotHere"}

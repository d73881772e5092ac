"""What a recipe asks for that is not on this machine."""

from __future__ import annotations

from pathlib import Path

from daemon.recipes.files import read_recipe
from daemon.routing.edition import edition_of
from daemon.routing.missing import missing
from daemon.routing.sources import Source
from daemon.signals.own_classifiers import OwnClassifiers
from tests.fakes.routing import HOUSE

RECIPE = """
SIGNAL kb private { kb: "privacy_kb" target: { kind: "label", value: "code" } }
SIGNAL kb public { kb: "privacy_kb" target: { kind: "label", value: "chat" } }
SIGNAL classifier mood { type: "local" model_path: "mood" labels: ["good", "bad"] }
MODEL m {}
ROUTE keep { WHEN kb("private") OR classifier("mood", label: "bad", predicate: { gte: 0.5 }) MODEL "m" }
"""


def test_each_is_told_once_with_its_place_and_what_to_do() -> None:
    """Two rules of one knowledge base lack one thing."""
    found = list(missing(read_recipe(RECIPE, "dsl"), {}, OwnClassifiers()))

    assert [(each.code, each.key, each.severity) for each in found] == [
        ("missing-knowledge", "routing.signals.kb[0].kb", "warning"),
        ("missing-classifier", "routing.signals.classifiers[0].model_path", "warning"),
    ]
    assert all("unknown" in each.remedy and "settings.toml" in each.remedy for each in found)


def test_what_is_here_is_not_told(tmp_path: Path) -> None:
    """A base by its name, a classifier by its folder, which is not opened for that."""
    (tmp_path / "mood").mkdir()

    assert list(missing(read_recipe(RECIPE, "dsl"), {"privacy_kb"}, OwnClassifiers(tmp_path))) == []


def test_a_folder_outside_is_not_here(tmp_path: Path) -> None:
    """Whatever a recipe names."""
    recipe = read_recipe(RECIPE.replace('model_path: "mood"', 'model_path: "../"'), "dsl")
    inside = tmp_path / "inside"
    inside.mkdir()

    assert [each.code for each in missing(recipe, {"privacy_kb"}, OwnClassifiers(inside))] == ["missing-classifier"]


def test_an_edition_says_so() -> None:
    """So that `nearloop status` does."""
    edition = edition_of(Source("t", RECIPE, "dsl", Path(), Path("t.dsl")), HOUSE)

    assert {"missing-knowledge", "missing-classifier"} <= {each.code for each in edition.problems}

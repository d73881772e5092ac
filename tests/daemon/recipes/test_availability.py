"""What isn't here, by name."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from daemon.recipes.algorithms import Kind
from daemon.recipes.availability import ALGORITHMS, PLUGINS, unavailable
from daemon.recipes.files import read_recipe, text_of
from daemon.recipes.plugins import PLUGINS as KNOWN_PLUGINS
from daemon.recipes.vocabulary import FAMILIES
from daemon.signals.registry import FAMILIES as LOOKED

CONFIG = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "config" / "config.yaml"


def test_the_reference_configuration() -> None:
    """Of upstream's exhaustive file, each family, method, algorithm, plugin, store and section that isn't here is told once."""
    recipe = read_recipe(text_of(CONFIG).replace("method: fuzzy", "method: regex"), "yaml")

    found = list(unavailable(recipe, "yaml"))

    def named(code: str) -> set[str]:
        return {problem.message.split("`")[1] for problem in found if problem.code == code}

    used = {decision.algorithm.type for decision in recipe.routing.decisions if decision.algorithm}
    plugins = {plugin.type for decision in recipe.routing.decisions for plugin in decision.plugins}
    assert named("unavailable-algorithm") == used - ALGORITHMS
    assert named("unavailable-plugin") == plugins - PLUGINS
    assert named("unavailable-store") >= {"redis", "milvus", "postgres", "llama_stack"}
    assert {problem.key for problem in found if problem.code == "machine-section"} == {
        "listeners",
        "providers",
        "global",
    }
    assert len({(problem.code, problem.message) for problem in found if problem.code != "machine-section"}) == len(
        [problem for problem in found if problem.code != "machine-section"]
    )
    assert all(problem.severity in ("warning", "note") and problem.remedy and problem.key for problem in found)


def test_the_tables_name_what_there_is() -> None:
    """A word in them is one that recipes can say, and all families look."""
    assert set(LOOKED) == set(FAMILIES)
    assert set(get_args(Kind)) >= ALGORITHMS
    assert set(KNOWN_PLUGINS) >= PLUGINS


def test_what_upstream_would_refuse() -> None:
    """Our own words are noted, tests in YAML too."""
    dsl = 'SIGNAL secret s {} ROUTE r { MODEL "m" } TEST t { "q" -> r }'
    recipe = read_recipe(dsl, "dsl")

    assert [problem.key for problem in unavailable(recipe, "dsl")] == ["routing.signals.secret"]
    assert [problem.key for problem in unavailable(recipe, "yaml")] == ["routing.tests", "routing.signals.secret"]


def test_likeness_of_pictures_needs_a_model() -> None:
    """Which isn't shipped; the rest of the family needs none."""
    recipe = read_recipe('SIGNAL image a { similar_to: { candidates: ["x"] threshold: 0.2 } } SIGNAL image b {}', "dsl")

    assert [(each.code, each.key) for each in unavailable(recipe, "dsl")] == [
        ("nearloop-only", "routing.signals.images"),
        ("needs-model", "routing.signals.images[0].similar_to"),
    ]


def test_a_recipe_s_verifier_is_not_asked() -> None:
    """An address in a recipe opens no connection, and that is noted."""
    route = 'ROUTE r { MODEL "m" ALGORITHM confidence { confidence_method: "automix_entailment" OPTION } }'
    option = 'verifier_server_url: "http://verifier.example/verify"'

    [found] = unavailable(read_recipe(route.replace("OPTION", option), "dsl"), "dsl")

    assert (found.code, found.severity) == ("not-asked", "note")
    assert found.key.endswith("algorithm.confidence.verifier_server_url")
    assert list(unavailable(read_recipe(route.replace("OPTION", ""), "dsl"), "dsl")) == []

"""The form of a text."""

from __future__ import annotations

import math

import pytest

from daemon.recipes.files import read_recipe, text_of
from daemon.signals.structure import StructureRules, units
from tests.daemon.signals.test_knowledge import CONFIG
from tests.fakes.asking import asked, asking, observed, rules, without_models


async def matched(recipe: str, text: str) -> dict[str, float | None]:
    return {
        seen.name: seen.value for seen in await observed(recipe, text) if seen.matched and seen.signal == "structure"
    }


def feature(type: str, source: str, predicate: str = "") -> str:
    return f'SIGNAL structure r {{ feature: {{ type: "{type}" source: {source} }} {predicate} }}'


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("two words", 2), ("don't", 2), ("表格和json", 4), ("3.5 km", 3), ("…", 0)]
)
def test_units_of_any_script(text: str, count: int) -> None:
    """A run of letters is one, and so is each CJK character."""
    assert units(text) == count


@pytest.mark.parametrize(
    ("recipe", "text", "value"),
    [
        (feature("count", '{ type: "regex" pattern: "[?？]" }', "predicate: { gte: 2 }"), "why? how？", 2.0),
        (feature("count", '{ type: "regex" pattern: "[?？]" }', "predicate: { gte: 3 }"), "why? how？", None),
        (feature("exists", '{ type: "regex" pattern: "(?m)^\\\\s*\\\\d+\\\\.\\\\s+" }'), "do\n 1. this", 1.0),
        (feature("exists", '{ type: "regex" pattern: "ABC" }'), "abc", 1.0),
        (feature("exists", '{ type: "regex" pattern: "ABC" case_sensitive: true }'), "abc", None),
        (feature("count", '{ type: "text_bytes" }', "predicate: { lte: 6 }"), "안녕", 6.0),
        (feature("density", '{ type: "keyword_set" keywords: ["table", "表格"] }'), "a table, 表格", 2 / 4),
        (feature("count", '{ type: "keyword_set" keywords: ["under"] }'), "understand under", 1.0),
        (feature("sequence", '{ type: "sequence" sequences: [["first", "then"]] }'), "First this, then that", 1.0),
        (feature("sequence", '{ type: "sequence" sequences: [["first", "then"]] }'), "then first", None),
        (feature("exists", '{ type: "sequence" sequences: [["先", "再"]] }'), "先做再说", 1.0),
        (feature("density", '{ type: "regex" pattern: "x" }', "predicate: { lt: 0.05 }"), "no question", 0.0),
    ],
)
async def test_features(recipe: str, text: str, value: float | None) -> None:
    """Counts, densities, whether something is there, and in order."""
    found = await matched(recipe, text)

    assert found == ({} if value is None else {"r": pytest.approx(value)})


async def test_the_value_is_there_without_a_match() -> None:
    """Projections read it raw."""
    [seen] = [
        each
        for each in await observed(feature("count", '{ type: "text_bytes" }', "predicate: { gte: 4000 }"), "hello")
        if each.signal == "structure"
    ]

    assert (seen.matched, seen.value) == (False, 5.0)


async def test_the_confidence_grows_with_the_distance_to_the_bound() -> None:
    """A sigmoid, 0.5 at the bound; without a predicate it is sure."""
    recipe = feature("count", '{ type: "text_bytes" }', "predicate: { gte: 5 }")
    scores = {}
    for text in ("hello", "hello!"):
        [seen] = [each for each in await observed(recipe, text) if each.signal == "structure"]
        scores[text] = seen.score

    assert scores == {"hello": pytest.approx(0.5), "hello!": pytest.approx(1 / (1 + math.exp(-4)))}


def test_a_pattern_that_does_not_end_is_given_up() -> None:
    """Its rule says so, and the others go on."""
    recipe = rules(
        'SIGNAL structure endless { feature: { type: "count" source: { type: "regex" pattern: "(a|aa)+$" } } }'
        'SIGNAL structure bytes { feature: { type: "count" source: { type: "text_bytes" } } }'
    )
    endless, plain = StructureRules(recipe, without_models()).look(asked(asking("a" * 60 + "!")))

    assert (endless.error, plain.value) == ("TimeoutError", 61.0)


def test_upstreams_reference_rules() -> None:
    """All eight are read; a request with four questions, steps and limits sets off those that are about them."""
    recipe = read_recipe(text_of(CONFIG / "config.yaml").replace("method: fuzzy", "method: regex"), "yaml")
    text = "First do this? then that? why? how?\n1. at most two, at least one\n2. under ten"
    seen = StructureRules(recipe.routing.signals, without_models()).look(asked(asking(text)))

    assert {each.name for each in seen if each.matched} == {
        "many_questions",
        "numbered_steps",
        "first_then_flow",
        "constraint_dense",
        "format_directive_dense",
    } - {"format_directive_dense"}
    assert len(seen) == 8

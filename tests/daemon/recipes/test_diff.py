"""Differences between recipes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from daemon.recipes.diff import Difference, diff
from daemon.recipes.files import read_recipe
from daemon.recipes.model import RecipeFile
from tests.fakes.recipes import files

ONE = """
SIGNAL pii p {}
SIGNAL keyword k { keywords: ["a"] operator: "OR" }
ROUTE a { PRIORITY 1 WHEN pii("p") AND keyword("k") MODEL "m" }
ROUTE b { MODEL "m" }
"""
OTHER = """
ROUTE c { MODEL "m" }
ROUTE a { PRIORITY 2 WHEN pii("p") OR NOT keyword("k") MODEL "m" (effort = "low") }
SIGNAL keyword k { operator: "OR" keywords: ["a", "b"] }
SIGNAL pii p {}
"""


def test_differences() -> None:
    """Each is told by name, with what it was and is; order makes none."""
    found = diff(read_recipe(ONE, "dsl"), read_recipe(OTHER, "dsl"))

    assert found == (
        Difference("changed", "routing.signals.keywords.k.keywords", '["a"]', '["a","b"]'),
        Difference("changed", "routing.decisions.a.priority", "1", "2"),
        Difference(
            "changed",
            "routing.decisions.a.rules.when",
            '"pii(\\"p\\") AND keyword(\\"k\\")"',
            '"pii(\\"p\\") OR NOT keyword(\\"k\\")"',
        ),
        Difference("added", "routing.decisions.a.modelRefs.m.reasoning_effort", "", '"low"'),
        Difference("removed", "routing.decisions.b", '{"modelRefs":{"m":{}}}'),
        Difference("added", "routing.decisions.c", "", '{"modelRefs":{"m":{}}}'),
    )


def test_what_is_about_machines_is_not_compared() -> None:
    """It may hold keys, which no output shall show."""
    one = read_recipe("global: {password: one}", "yaml")
    other = read_recipe("providers: {models: [{api_key: two}]}", "yaml")

    assert diff(one, other) == ()


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(machine=False))
def test_a_recipe_is_no_different_from_itself(recipe: RecipeFile) -> None:
    """Nothing is told of two that are the same."""
    assert diff(recipe, recipe) == ()

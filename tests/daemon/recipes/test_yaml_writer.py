"""Recipes in YAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from daemon.recipes.files import read_recipe
from daemon.recipes.model import Case, RecipeFile, Routing, Suite
from daemon.recipes.yaml_writer import write_yaml
from tests.fakes.recipes import files


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(machine=True))
def test_reading_undoes_writing(recipe: RecipeFile) -> None:
    """A recipe that was written in YAML reads as itself, the machine's sections included."""
    assert read_recipe(write_yaml(recipe), "yaml") == recipe


@pytest.mark.parametrize("word", ["no", "on", "1:30", "1e5", "0o17", "0x1f", ".5", "~", "null", "2026-01-01", "1_000"])
def test_words_that_look_like_something_else_stay_words(word: str) -> None:
    """What YAML 1.1 or 1.2 would take for a number, a date or a truth is quoted, so that both read the word."""
    recipe = RecipeFile(routing=Routing(tests=(Suite(name="t", cases=(Case(query=word, route="r"),)),)))

    text = write_yaml(recipe)

    assert read_recipe(text, "yaml") == recipe
    assert yaml.safe_load(text)["routing"]["tests"][0]["cases"][0]["query"] == word


def test_the_version_stands_first() -> None:
    """Upstream's router asks for it."""
    assert write_yaml(RecipeFile()).startswith("version: v0.3\n")

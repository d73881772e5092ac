"""Recipes in the recipe language."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from daemon.recipes.dsl_printer import print_statements
from daemon.recipes.dsl_reader import read_statements
from daemon.recipes.dsl_writer import write_dsl
from daemon.recipes.files import read_recipe
from daemon.recipes.model import RecipeFile
from daemon.recipes.yaml_writer import write_yaml
from tests.fakes.recipes import files

MANY = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(files(machine=False))
def test_reading_undoes_writing(recipe: RecipeFile) -> None:
    """A recipe that was written in the language reads as itself, whatever it holds."""
    assert read_recipe(write_dsl(recipe), "dsl") == recipe


@MANY
@given(files(machine=False))
def test_yaml_of_the_language_is_the_same_recipe(recipe: RecipeFile) -> None:
    """From the language to YAML and back to the language, not a character changes."""
    text = write_dsl(recipe)

    again = write_dsl(read_recipe(write_yaml(read_recipe(text, "dsl")), "yaml"))

    assert again == text


@MANY
@given(files(machine=False))
def test_what_is_written_is_in_form(recipe: RecipeFile) -> None:
    """The formatter leaves alone what the writer wrote."""
    text = write_dsl(recipe)

    assert print_statements(*read_statements(text)) == text

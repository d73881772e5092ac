"""A recipe file, read and checked, with everything that there is to say about it and where."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from daemon.recipes.availability import unavailable
from daemon.recipes.check import check
from daemon.recipes.dsl_lowering import lower
from daemon.recipes.dsl_reader import read_statements
from daemon.recipes.files import Form
from daemon.recipes.model import RecipeFile
from daemon.recipes.nodes import Items, Node, Table
from daemon.recipes.problems import BadRecipe, Place, Problem, in_order
from daemon.recipes.shaping import shape
from daemon.recipes.unreached import unreached
from daemon.recipes.yaml_reader import read_yaml


class Loaded(Struct, frozen=True):
    """A recipe that can be used. problems: warnings and notes."""

    recipe: RecipeFile
    problems: tuple[Problem, ...]


def load(text: str, form: Form) -> Loaded:
    """A recipe of its text. Raises BadRecipe with all problems if one is an error."""
    tree: Node = lower(read_statements(text)[0]) if form == "dsl" else read_yaml(text)
    recipe = shape(tree)
    found = [_placed(problem, tree) for problem in (*check(recipe), *unavailable(recipe, form), *unreached(recipe))]
    if any(problem.severity == "error" for problem in found):
        raise BadRecipe(tuple(found))
    return Loaded(recipe, in_order(tuple(found)))


_STEP: Final = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def _placed(problem: Problem, tree: Node) -> Problem:
    """With the place of the last part of its key that the file has."""
    place = tree.place
    for word, number in _STEP.findall(problem.key):
        if word and isinstance(tree, Table) and word in tree.values:
            place, tree = tree.places[word], tree.values[word]
        elif number and isinstance(tree, Items) and int(number) < len(tree.values):
            tree = tree.values[int(number)]
            place = tree.place
        else:
            break
    quoted = re.search(r"`([^`]+)`", problem.message)
    if quoted and problem.severity == "error":
        place = _named(tree, quoted[1]) or place
    return _at(problem, place)


def _named(tree: Node, word: str) -> Place | None:
    """Where a word stands below a node: problems of names quote the name."""
    match tree:
        case Table():
            below = list(tree.values.values())
        case Items():
            below = tree.values
        case _:
            return tree.place if tree.value == word else None
    return next((place for each in below if (place := _named(each, word))), None)


def _at(problem: Problem, place: Place) -> Problem:
    return Problem(
        code=problem.code,
        message=problem.message,
        remedy=problem.remedy,
        severity=problem.severity,
        key=problem.key,
        place=place if place.line else None,
    )

"""Recipe files: read by what they end in, within bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from daemon.errors import NotFound
from daemon.recipes.dsl_lowering import lower
from daemon.recipes.dsl_reader import read_statements
from daemon.recipes.model import RecipeFile
from daemon.recipes.nodes import Node, Table
from daemon.recipes.problems import BadRecipe, Problem
from daemon.recipes.shaping import shape
from daemon.recipes.yaml_reader import read_yaml
from edge_models.plain_files import open_plain

Form = Literal["yaml", "dsl"]
MAX_BYTES: Final = 512 * 1024
"""Six times upstream's largest recipe."""
SUFFIXES: Final[dict[str, Form]] = {".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".dsl": "dsl"}


def read_recipe(text: str, form: Form) -> RecipeFile:
    """A recipe of its text. Raises BadRecipe."""
    if form == "dsl":
        statements, _ = read_statements(text)
        return shape(lower(statements))
    return shape(read_yaml(text))


def read_global(text: str, form: Form) -> RecipeFile:
    """A recipe of what stands under `global` in a text, whatever is wrong with the rest. Raises BadRecipe."""
    tree: Node = lower(read_statements(text)[0]) if form == "dsl" else read_yaml(text)
    kept = Table(tree.place)
    if isinstance(tree, Table) and (found := tree.values.get("global")) is not None:
        kept.set("global", found, tree.places["global"])
    return shape(kept)


def form_of(path: Path) -> Form:
    """By its suffix. Raises BadRecipe for others."""
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        remedy = f"name it with one of {', '.join(SUFFIXES)}"
        raise BadRecipe((Problem(code="suffix", message=f"`{path.suffix}` is no recipe's suffix", remedy=remedy),))
    return form


def text_of(path: Path) -> str:
    """A plain file's text. Raises NotFound, and BadRecipe if it is too large or not UTF-8."""
    try:
        with open_plain(path) as file:
            raw = file.read(MAX_BYTES + 1)
    except PermissionError:
        raise
    except OSError as error:  # nothing, a folder, a circle of links, or a pipe that would be waited for
        raise NotFound(f"there is no file {path}") from error
    if len(raw) > MAX_BYTES:
        raise too_large()
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadRecipe(
            (Problem(code="unreadable", message="this is not UTF-8", remedy="save it as UTF-8"),)
        ) from error


def too_large() -> BadRecipe:
    """What is said of a recipe beyond MAX_BYTES."""
    remedy = f"make it smaller than {MAX_BYTES // 1024} KiB"
    return BadRecipe((Problem(code="too-large", message="this file is too large", remedy=remedy),))

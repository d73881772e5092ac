"""Tests of a recipe file made ready."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.recipes.files import MAX_BYTES
from daemon.recipes.problems import BadRecipe
from daemon.routing.edition import edition_of
from daemon.routing.sources import Source
from tests.fakes.routing import HOUSE

TEXT = """
MODEL local {}
ROUTE rest { MODEL local }
ENTRYPOINT { model_names: ["team/quick", "local", "cloud", "local/small"] recipe: "quick" }
RECIPE quick { ROUTE any { MODEL local } }
"""


def of(text: str, name: str = "mine.dsl") -> Source:
    return Source(name, text, "dsl", Path(), Path(name))


def test_recipes_and_names() -> None:
    """Each recipe is there by its name; `auto` and upstream's two names mean the first."""
    edition = edition_of(of(TEXT), HOUSE)

    assert set(edition.lives) == {"default", "quick"}
    assert edition.entries == {
        "team/quick": "quick",
        "auto": "default",
        "MoM": "default",
        "vllm-sr/auto": "default",
    }


def test_a_file_cannot_take_explicit_names() -> None:
    """Who asks for `local`, `cloud` or a local model by name gets that, whatever a file says."""
    entries = edition_of(of(TEXT), HOUSE).entries

    assert not {"local", "cloud", "local/small"} & entries.keys()


def test_a_broken_file() -> None:
    """It is refused with its problems."""
    with pytest.raises(BadRecipe, match="line 1"):
        edition_of(of("ROUTE {"), HOUSE)


def test_a_text_that_is_too_large() -> None:
    """It is refused before anybody reads it, wherever it came from."""
    with pytest.raises(BadRecipe, match="too large"):
        edition_of(of(TEXT + "#" * MAX_BYTES), HOUSE)

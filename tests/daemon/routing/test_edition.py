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
ENTRYPOINT { model_names: ["team/quick"] recipe: "quick" }
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


@pytest.mark.parametrize(
    "name", ["local", "cloud", "local/small", "nearloop/vault", "nearloop/mine", "gpt-*", " ", "a\\nb"]
)
def test_a_file_cannot_take_names_that_keep_a_promise(name: str) -> None:
    """Who asks for `local` or for `nearloop/vault` gets that, whatever a file says; nor is a pattern or a blank a name."""
    with pytest.raises(BadRecipe, match=r"entrypoints\[0\].model_names"):
        edition_of(of(TEXT.replace("team/quick", name)), HOUSE)


@pytest.mark.parametrize("text", ["", "\n", "MODEL local {}\n"])
def test_a_file_that_decides_nothing(text: str) -> None:
    """An empty file, or one that was cut off while it was written, takes no rules away."""
    with pytest.raises(BadRecipe, match="decides nothing"):
        edition_of(of(text), HOUSE)


def test_a_broken_file() -> None:
    """It is refused with its problems."""
    with pytest.raises(BadRecipe, match="line 1"):
        edition_of(of("ROUTE {"), HOUSE)


def test_a_text_that_is_too_large() -> None:
    """It is refused before anybody reads it, wherever it came from."""
    with pytest.raises(BadRecipe, match="too large"):
        edition_of(of(TEXT + "#" * MAX_BYTES), HOUSE)

"""Recipes that can be put to use by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import BadRequest
from daemon.recipes.problems import BadRecipe
from daemon.routing.offers import offers, shelve

RECIPE = '# Mine.\nMODEL local {}\nROUTE first { MODEL "local" }\n'


def test_what_is_offered(tmp_path: Path) -> None:
    """Built-in ones, files beside the settings, and the one in use wherever it lies; with what it says of itself."""
    (tmp_path / "mine.dsl").write_text(RECIPE)
    (tmp_path / "settings.toml").write_text("")
    told = {offer.name: offer for offer in offers(tmp_path, "/elsewhere/gone.yaml")}

    assert {"light", "vault"} <= {name for name, offer in told.items() if offer.built_in}
    assert [name for name, offer in told.items() if not offer.built_in] == ["mine.dsl", "/elsewhere/gone.yaml"]
    assert (told["mine.dsl"].about, told["/elsewhere/gone.yaml"].about) == ("Mine.", "")


@pytest.mark.parametrize("name", ["../up.dsl", ".dsl", "a b.dsl", "mine.toml", "mine", "x" * 41 + ".dsl"])
def test_what_no_file_is_called(tmp_path: Path, name: str) -> None:
    """No folder, no blank, no other suffix."""
    with pytest.raises(BadRequest):
        shelve(tmp_path, name, RECIPE)


def test_a_file_is_made_once_and_only_of_a_recipe(tmp_path: Path) -> None:
    """What is there is never written over, and what can't be used is not written."""
    shelve(tmp_path, "mine.dsl", RECIPE)
    with pytest.raises(BadRequest):
        shelve(tmp_path, "mine.dsl", RECIPE)
    with pytest.raises(BadRecipe):
        shelve(tmp_path, "other.dsl", "ROUTE {")

    assert [path.name for path in tmp_path.iterdir()] == ["mine.dsl"]

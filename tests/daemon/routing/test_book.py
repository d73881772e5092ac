"""Tests of which recipe a model name stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import BadSettings
from daemon.routing.book import BUILT_IN
from daemon.settings import Client, Routing, Settings
from tests.fakes.routing import book

TEXT = """
MODEL local {}
ROUTE rest { MODEL local }
ENTRYPOINT { model_names: ["team/quick"] recipe: "quick" }
RECIPE quick { ROUTE any { MODEL local } }
"""


def settings(recipe: str | None = None, **more: object) -> Settings:
    return Settings(routing=Routing(recipe=recipe, **more))  # type: ignore[arg-type]


async def test_without_a_recipe(tmp_path: Path) -> None:
    """`auto` and upstream's names for it are what `auto` always was, and so are all other names."""
    here = book(settings(), tmp_path)

    assert [here.stands_for(name, None) for name in ("auto", "MoM", "vllm-sr/auto", "local", "x/y")] == [
        *["auto"] * 3, "local", "x/y"
    ]  # fmt: skip
    assert [await here.find(name) for name in ("auto", "local", "cloud", "work/big")] == [None] * 4
    assert here.names() == tuple(BUILT_IN)


async def test_with_a_recipe(tmp_path: Path) -> None:
    """The file's recipe is what `auto` means, and its names stand for its other recipes."""
    (tmp_path / "mine.dsl").write_text(TEXT)
    here = book(settings("mine.dsl"), tmp_path)

    auto, quick = await here.find("auto"), await here.find("team/quick")

    assert auto
    assert auto.routing.decisions[0].name == "rest"
    assert await here.find("MoM") is auto
    assert quick
    assert quick.routing.decisions[0].name == "any"
    assert await here.find("local") is None
    assert "team/quick" in here.names()


def test_a_recipe_that_is_not_there(tmp_path: Path) -> None:
    """It is said before anybody asks."""
    with pytest.raises(BadSettings):
        book(settings("mine.dsl"), tmp_path)


def test_names_of_programs(tmp_path: Path) -> None:
    """What programs have built in is served as the user says, a client's own word first."""
    clients = {"editor": Client("0" * 64, names={"claude-*": "nearloop/flash"})}
    known = Settings(routing=Routing(names={"claude-*": "auto", "gpt-4*": "cloud"}), clients=clients)
    here = book(known, tmp_path)

    assert here.stands_for("claude-opus-9", "editor") == "nearloop/flash"
    assert here.stands_for("claude-opus-9", None) == "auto"
    assert here.stands_for("gpt-4o", "editor") == "cloud"
    assert here.stands_for("gpt-5", "editor") == "gpt-5"

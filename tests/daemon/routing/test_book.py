"""Tests of which recipe a model name stands for."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from daemon.errors import BadRequest, BadSettings, ChangedMeanwhile
from daemon.recipes.problems import BadRecipe
from daemon.routing.book import BUILT_IN, Book
from daemon.routing.shelf import Shelf
from daemon.settings import Client, Provider, Routing, Settings
from tests.fakes.asking import asking
from tests.fakes.clock import HeldClock
from tests.fakes.routing import HOUSE, book

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


def test_names_of_ours_are_nobody_elses(tmp_path: Path) -> None:
    """`*` is for whatever programs ask for: who asks for `local`, a policy of ours or a provider's model gets that. What
    keeps a promise can't be taken by its own name either, and `auto` can.
    """
    every = {"*": "cloud", "local": "cloud", "nearloop/vault": "cloud", "auto": "nearloop/light"}
    known = Settings(routing=Routing(names=every), providers={"work": Provider(base_url="http://127.0.0.1:1/v1")})
    here = book(known, tmp_path)

    for name in ("local", "local/small", "cloud", "nearloop/vault", "nearloop/flash", "work/big", "MoM"):
        assert here.stands_for(name, None) in (name, "auto")
    assert here.stands_for("auto", None) == "nearloop/light"
    assert here.stands_for("gpt-5", None) == "cloud"


OTHER = "MODEL local {}\nROUTE else { MODEL local }\n"


async def decision(here: Book) -> str:
    live = await here.find("auto")
    assert live
    return live.routing.decisions[0].name


async def test_reload(tmp_path: Path) -> None:
    """What the file says now is what decides; who began with the other one goes on with that."""
    (tmp_path / "mine.dsl").write_text(TEXT)
    here = book(settings("mine.dsl"), tmp_path)
    before = await here.find("auto")
    (tmp_path / "mine.dsl").write_text(OTHER)

    await here.reload("file")

    assert await decision(here) == "else"
    assert before
    assert before.verdict(await before.observe(asking("hello"))).outcome.decision == "rest"
    assert [version.why for version in here.versions()] == ["start", "file"]


async def test_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    """The one before it goes on, the trouble is told, and mending it ends that."""
    (tmp_path / "mine.dsl").write_text(TEXT)
    here = book(settings("mine.dsl"), tmp_path)
    (tmp_path / "mine.dsl").write_text("ROUTE {")

    with pytest.raises(BadSettings):
        await here.reload("file")
    broken = here.failure
    (tmp_path / "mine.dsl").write_text(TEXT)
    await here.reload("file")

    assert "mine.dsl" in (broken or "")
    assert here.failure is None
    assert await decision(here) == "rest"
    assert len(here.versions()) == 1


async def test_the_last_good_one_survives_a_restart(tmp_path: Path) -> None:
    """A daemon that finds a broken file starts with what it used before, and says so."""
    (tmp_path / "mine.dsl").write_text(TEXT)
    book(settings("mine.dsl"), tmp_path)
    (tmp_path / "mine.dsl").write_text("ROUTE {")

    here = book(settings("mine.dsl"), tmp_path)

    assert await decision(here) == "rest"
    assert "mine.dsl" in (here.failure or "")


async def test_watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is written anew is taken in by itself, and a broken one ends nothing."""
    monkeypatch.setattr("daemon.routing.book.LOOK_S", 0.01)
    (tmp_path / "mine.dsl").write_text(TEXT)
    told = asyncio.Event()
    here = Book(settings("mine.dsl"), tmp_path, HOUSE, Shelf(tmp_path / "shelf", HeldClock()), told.set)
    watching = asyncio.create_task(here.watch())
    try:
        for text, name in (("ROUTE {", "rest"), (OTHER, "else")):
            (tmp_path / "mine.dsl").write_text(text)
            async with asyncio.timeout(10):
                await told.wait()
            told.clear()
            assert await decision(here) == name
    finally:
        watching.cancel()


async def test_writing(tmp_path: Path) -> None:
    """Against the version that was read; a broken text, and one that somebody else has changed, stay out."""
    path = tmp_path / "mine.dsl"
    path.write_text(TEXT)
    here = book(settings("mine.dsl"), tmp_path)
    assert here.edition
    digest = here.edition.source.digest

    with pytest.raises(BadRecipe):
        await here.write("ROUTE {", {digest})
    with pytest.raises(ChangedMeanwhile):
        await here.write(OTHER, {"0" * 64})
    assert path.read_text() == TEXT
    await here.write(OTHER, {"0" * 64, digest})
    with pytest.raises(ChangedMeanwhile):
        await here.write(TEXT, {digest})

    assert path.read_text() == OTHER
    assert await decision(here) == "else"


async def test_a_hand_edit_is_not_lost(tmp_path: Path) -> None:
    """What was written into the file and not taken in yet can't be overwritten by who didn't see it."""
    path = tmp_path / "mine.dsl"
    path.write_text(TEXT)
    here = book(settings("mine.dsl"), tmp_path)
    assert here.edition
    path.write_text(TEXT + "# by hand\n")

    with pytest.raises(ChangedMeanwhile):
        await here.write(OTHER, {here.edition.source.digest})

    assert path.read_text().endswith("# by hand\n")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
async def test_a_link_stays_one(tmp_path: Path) -> None:
    """What is written goes where the link leads now, if that is what was read."""
    (tmp_path / "old.dsl").write_text(TEXT)
    (tmp_path / "new.dsl").write_text(TEXT)
    (tmp_path / "mine.dsl").symlink_to("old.dsl")
    here = book(settings("mine.dsl"), tmp_path)
    (tmp_path / "mine.dsl").unlink()
    (tmp_path / "mine.dsl").symlink_to("new.dsl")

    await here.write(OTHER, None)

    assert (tmp_path / "mine.dsl").is_symlink()
    assert [(tmp_path / name).read_text() for name in ("old.dsl", "new.dsl")] == [TEXT, OTHER]


async def test_rolling_back(tmp_path: Path) -> None:
    """An earlier text is the file's again, as a version of its own."""
    path = tmp_path / "mine.dsl"
    path.write_text(TEXT)
    here = book(settings("mine.dsl"), tmp_path)
    assert here.edition
    await here.write(OTHER, {here.edition.source.digest})

    await here.roll_back(1, {here.edition.source.digest})

    assert path.read_text() == TEXT
    assert [(each.number, each.why) for each in here.versions()] == [(1, "start"), (2, "api"), (3, "rollback")]


async def test_a_built_in_recipe_is_no_file(tmp_path: Path) -> None:
    """It can't be written; other settings put another one in its place."""
    here = book(settings("flash"), tmp_path)
    assert here.edition

    with pytest.raises(BadRequest):
        await here.write(TEXT, None)
    here.settings = settings(None)
    await here.reload()

    assert here.edition is None
    assert await here.find("auto") is None

"""The page of recipes: what each key does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_recipes import FIRST, LIGHT, SECOND, ToldRecipes
from tests.tui.conftest import Opening, until
from tests.tui.test_editing import writing
from tui.widgets.detail import Detail
from tui.widgets.grid import Grid


@pytest.fixture
def told(played: PlayedDaemon) -> ToldRecipes:
    return ToldRecipes(played)


@pytest.fixture
async def pilot(told: ToldRecipes, opening: Opening) -> AsyncIterator[Pilot[None]]:
    """On the page, with the first recipe's text."""
    async with opening() as opened:
        await opened.press("6")
        await until(opened, lambda: "SIGNAL secret keys" in text(opened))
        yield opened


def text(pilot: Pilot[Any]) -> str:
    found = pilot.app.screen.query("Recipes Detail Static")
    return str(found.first().render()) if found else ""


def notices(pilot: Pilot[Any]) -> list[str]:
    return [notice.message for notice in pilot.app._notifications]


async def test_recipes_and_versions_are_listed(pilot: Pilot[None]) -> None:
    """Built-in ones, one's own, then versions from the newest; the text follows the cursor."""
    grid = pilot.app.screen.query_one(Grid)
    names = ["offer default", "offer light", "offer mine.dsl", "version 2", "version 1"]
    assert [row.key for row in grid.rows] == names

    await pilot.press("end")
    await until(pilot, lambda: "ROUTE first" in text(pilot))
    await pilot.press("up", "up")
    await until(pilot, lambda: "ROUTE second" in text(pilot))
    assert "this part isn't here" in text(pilot)
    await pilot.press("enter")
    assert isinstance(pilot.app.focused, Detail)


async def test_one_is_put_to_use_after_a_yes(pilot: Pilot[None], told: ToldRecipes) -> None:
    """Another recipe; no changes nothing; the one in use already asks nothing; `x` uses none."""
    await pilot.press("down", "u", "n")
    await pilot.pause()
    assert told.bodies == []
    await pilot.press("u", "y")
    await until(pilot, lambda: told.bodies == [("use", {"name": "light"})])
    await until(pilot, lambda: "light" in str(pilot.app.screen.query_one("#line").render()))

    await pilot.press("x", "y")
    await until(pilot, lambda: told.bodies[-1] == ("use", {"name": None}))
    await until(pilot, lambda: "no recipe" in str(pilot.app.screen.query_one("#line").render()))
    await pilot.press("d")
    await until(pilot, lambda: any("compare with" in notice for notice in notices(pilot)))


async def test_a_version_is_had_back(pilot: Pilot[None], told: ToldRecipes) -> None:
    """After a yes, by its number."""
    await pilot.press("end", "u", "y")
    await until(pilot, lambda: told.bodies == [("rollback", {"version": 1})])


async def test_what_is_different(pilot: Pilot[None]) -> None:
    """From a version: part by part and line by line; from another recipe: line by line. Another row shows its text again."""
    await pilot.press("end", "d")
    await until(pilot, lambda: "~ decisions: first → second" in text(pilot))
    assert "+ROUTE second {" in text(pilot)
    await pilot.press("home")
    await until(pilot, lambda: "SIGNAL secret keys" in text(pilot) and "+ROUTE" not in text(pilot))
    await pilot.press("d")
    await until(pilot, lambda: "-SIGNAL secret keys {}" in text(pilot))


async def test_what_is_wrong(pilot: Pilot[None], told: ToldRecipes) -> None:
    """The verdict, and each problem with its line and remedy."""
    await pilot.press("v")
    await until(pilot, lambda: "✓ it can be used" in text(pilot))
    told.usable = False
    await pilot.press("v")
    await until(pilot, lambda: "error, line 3: a brace is missing" in text(pilot))


async def test_reading_anew(pilot: Pilot[None], told: ToldRecipes) -> None:
    """`r` has the daemon look at the file."""
    await pilot.press("r")
    await until(pilot, lambda: told.bodies == [("reload", {})])


@pytest.fixture
def lending(pilot: Pilot[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The terminal is lent to an editor that runs this code."""

    def lent(code: str) -> None:
        monkeypatch.setattr(pilot.app, "suspend", nullcontext)
        monkeypatch.setenv("VISUAL", writing(tmp_path, code))

    return lent


ADDING = "path.write_text(path.read_text() + '# more\\n')"


async def test_one_s_own_is_edited(pilot: Pilot[None], told: ToldRecipes, lending: Any) -> None:
    """The difference is shown, and it is written after a yes."""
    lending(ADDING)
    await pilot.press("down", "down", "e")
    await until(pilot, lambda: "+# more" in text_behind(pilot))
    await pilot.press("y")
    await until(pilot, lambda: told.bodies == [("write", {"text": SECOND + "# more\n", "form": None})])


def text_behind(pilot: Pilot[Any]) -> str:
    return "\n".join(str(screen.query("Detail Static").first().render()) for screen in pilot.app.screen_stack[-2:-1])


async def test_what_cant_be_used_is_not_written(pilot: Pilot[None], told: ToldRecipes, lending: Any) -> None:
    """It says why, beside what was changed."""
    told.usable = False
    lending(ADDING)
    await pilot.press("down", "down", "e")
    await until(pilot, lambda: "a brace is missing" in text(pilot) and "+# more" in text(pilot))
    assert told.bodies == []


async def test_a_built_in_one_becomes_a_file(pilot: Pilot[None], told: ToldRecipes, lending: Any) -> None:
    """It is asked what it is called, and is there then."""
    lending(ADDING)
    await pilot.press("e")
    await until(pilot, lambda: len(pilot.app.screen_stack) > 1 and "+# more" in text_behind(pilot))
    await pilot.press(*"own.dsl", "enter")
    await until(pilot, lambda: told.bodies == [("add", {"name": "own.dsl", "text": LIGHT + "# more\n"})])
    await until(pilot, lambda: any(row.key == "offer own.dsl" for row in pilot.app.screen.query_one(Grid).rows))


async def test_an_editor_that_changes_nothing_or_fails(pilot: Pilot[None], told: ToldRecipes, lending: Any) -> None:
    """Nothing is asked and nothing written; without a terminal to lend that is said."""
    await pilot.press("e")
    await until(pilot, lambda: any("no terminal" in notice for notice in notices(pilot)))
    lending("pass")
    await pilot.press("e")
    await until(pilot, lambda: "Nothing was changed" in notices(pilot))
    lending("sys.exit(1)")
    await pilot.press("e")
    await until(pilot, lambda: any("status 1" in notice for notice in notices(pilot)))

    assert told.bodies == []
    assert FIRST in told.versions

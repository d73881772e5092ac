"""The log: what is in the table, and what each key does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from daemon import wire
from tests.fakes import told_faults
from tests.fakes.played_daemon import PlayedDaemon
from tests.tui.conftest import Opening, until
from tui.widgets.detail import Detail
from tui.widgets.grid import Grid
from tui.widgets.search import Search


@pytest.fixture
def played(played: PlayedDaemon) -> PlayedDaemon:
    """A daemon that said something."""
    played.answers["GET log"] = told_faults.log()
    return played


def rows(pilot: Pilot[Any]) -> list[str]:
    return [row.key for row in pilot.app.screen.query_one(Grid).rows]


def told(pilot: Pilot[Any]) -> str:
    return "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))


async def shown(pilot: Pilot[Any]) -> None:
    await pilot.press("0")
    await until(pilot, lambda: len(pilot.app.screen.query(Grid)) == 1 and len(rows(pilot)) == 6)


def one_more(played: PlayedDaemon) -> None:
    log = told_faults.log()
    line = msgspec.structs.replace(log.lines[0], number=19, text="unloaded one more: idle")
    played.answers["GET log"] = wire.Log((*log.lines, line), log.dropped, log.file)
    played.say("log", {})


async def test_it_follows_and_can_be_held(played: PlayedDaemon, opening: Opening) -> None:
    """A new line comes by itself; while paused nothing moves; then it goes on."""
    async with opening() as pilot:
        await shown(pilot)
        assert "12 older ones are gone" in told(pilot)
        assert rows(pilot)[0] == "18"
        await pilot.press("p")
        one_more(played)
        await until(pilot, lambda: "log" in pilot.app.link.picture.news)  # type: ignore[attr-defined]
        assert "paused" in told(pilot)
        assert rows(pilot)[0] == "18"
        await pilot.press("p")
        await until(pilot, lambda: rows(pilot)[0] == "19")

    async with opening() as pilot:
        await pilot.press("0")
        await until(pilot, lambda: len(pilot.app.screen.query(Grid)) == 1 and rows(pilot)[:1] == ["19"])


async def test_a_line_that_comes_is_shown(played: PlayedDaemon, opening: Opening) -> None:
    """Without a key."""
    async with opening() as pilot:
        await shown(pilot)
        one_more(played)
        await until(pilot, lambda: rows(pilot)[0] == "19")


async def test_levels_and_search(played: PlayedDaemon, opening: Opening) -> None:
    """`f` walks through the levels and comes back, `/` narrows by words, esc shows all."""
    async with opening() as pilot:
        await shown(pilot)
        counts = []
        for _ in range(3):
            await pilot.press("f")
            counts.append(len(rows(pilot)))
        assert counts == [4, 2, 6]

        await pilot.press("slash", *"restart", "enter")
        assert len(rows(pilot)) == 2
        assert pilot.app.screen.query_one(Grid).has_focus
        await pilot.press("escape")
        assert len(rows(pilot)) == 6


async def test_a_search_is_left(played: PlayedDaemon, opening: Opening) -> None:
    """Esc while one types shows all and goes to the table; after enter the words count on, and can be typed on."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("slash", *"restart")
        search = pilot.app.screen.query_one(Search)
        assert search.has_focus
        assert search.display
        await pilot.press("escape")
        assert len(rows(pilot)) == 6
        assert pilot.app.screen.query_one(Grid).has_focus
        assert (search.display, search.value) == (False, "")
        await pilot.press("slash", *"restar", "enter", "slash", "end", *"t 2")
        assert search.value == "restart 2"
        assert len(rows(pilot)) == 1


async def test_enter_goes_to_what_is_known_of_a_line(played: PlayedDaemon, opening: Opening) -> None:
    """To read on, where it is longer than its place; tab goes back."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("enter")
        assert isinstance(pilot.app.focused, Detail)
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Grid)


async def test_copying(played: PlayedDaemon, opening: Opening) -> None:
    """`y` the line, `Y` all that are shown, the oldest first."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("y")
        assert pilot.app.clipboard.endswith("nearloop.pool info unloaded notes: asked")
        await pilot.press("Y")
        assert pilot.app.clipboard.splitlines()[0].endswith("unloaded coder-7b: idle")


async def test_a_quiet_daemon_is_well(played: PlayedDaemon, opening: Opening) -> None:
    """An empty log says that nothing is wrong with it."""
    played.answers["GET log"] = wire.Log((), 0, "/x/daemon.log")
    async with opening() as pilot:
        await pilot.press("0")
        await until(pilot, lambda: "which is well" in told(pilot))
        pilot.app.copy_to_clipboard("before")
        await pilot.press("y", "Y")
        assert pilot.app.clipboard == "before"

"""Requests as they run: what is in the table, and what each key does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from textual.pilot import Pilot

from daemon import wire
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import a_day, draft, receipt, record
from tests.tui.conftest import Opening, until
from tui.screens.live import Live
from tui.screens.request import Request
from tui.widgets.corridor import Corridor
from tui.widgets.grid import Grid
from tui.widgets.search import Search


def grid(pilot: Pilot[Any]) -> Grid:
    return pilot.app.screen.query_one("#requests", Grid)


def line(pilot: Pilot[Any]) -> str:
    return str(pilot.app.screen.query_one("#line").render())


async def filled(pilot: Pilot[Any], count: int = 12) -> None:
    await until(pilot, lambda: len(grid(pilot).rows) == count)


async def test_the_newest_stands_first(played: PlayedDaemon, opening: Opening) -> None:
    """All records of the backlog are there, and one that comes goes on top."""
    async with opening() as pilot:
        await filled(pilot)
        assert [row.key[:2] for row in grid(pilot).rows][:2] == ["0c", "0b"]

        played.say("record", record(13, draft()), record(13, draft()).id)
        await filled(pilot, 13)
        assert grid(pilot).key == record(13, draft()).id


async def test_a_request_is_there_while_it_runs(played: PlayedDaemon, opening: Opening) -> None:
    """It appears when it begins, says what leaves, and becomes its record."""
    id = record(20, draft()).id
    async with opening() as pilot:
        await filled(pilot)
        played.say("request", {"protocol": "openai-chat", "client": "zed"}, id)
        await filled(pilot, 13)
        assert "1 running" in line(pilot)

        played.say("receipt", msgspec.structs.replace(receipt(id, 50, {}), outcome=None), id)
        await until(pilot, lambda: any(cell.words == "↗ 1.8 kB" for cell in grid(pilot).rows[0].cells))

        played.say("record", record(20, draft()), id)
        await until(pilot, lambda: "running" not in line(pilot))
        assert len(grid(pilot).rows) == 13


async def test_a_search_leaves_what_was_looked_for(played: PlayedDaemon, opening: Opening) -> None:
    """`/` opens the field, each letter narrows, enter goes to the table, esc shows all again."""
    async with opening() as pilot:
        await filled(pilot)
        await pilot.press("slash", *"client:zed", "enter")
        assert len(grid(pilot).rows) == 3
        assert grid(pilot).has_focus
        assert "3 client:zed" in line(pilot)

        await pilot.press("escape")
        assert len(grid(pilot).rows) == 12


async def test_what_is_looked_for_stays_one_line(played: PlayedDaemon, opening: Opening) -> None:
    """However much was pasted, and whatever a terminal would make of it."""
    async with opening() as pilot:
        await filled(pilot)
        await pilot.press("slash")
        pilot.app.screen.query_one(Search).value = "\u202e(*+?[" + "x" * 10_000
        await until(pilot, lambda: not grid(pilot).rows)
        assert "· 0 \\u202e(*+?[xx" in line(pilot)
        assert line(pilot).endswith("…")
        assert len(line(pilot)) < 80


async def test_quick_filters_follow_each_other(played: PlayedDaemon, opening: Opening) -> None:
    """`f` walks through the choices and comes back to all."""
    async with opening() as pilot:
        await filled(pilot)
        counts = []
        for _ in range(5):
            await pilot.press("f")
            counts.append(len(grid(pilot).rows))

        assert counts == [7, 5, 3, 2, 12]


async def test_a_pause_holds_the_table(played: PlayedDaemon, opening: Opening) -> None:
    """While paused nothing moves, and what came is counted; then it goes on."""
    async with opening() as pilot:
        await filled(pilot)
        await pilot.press("p")
        played.say("record", record(13, draft()), record(13, draft()).id)
        await until(pilot, lambda: "paused, 1 new" in line(pilot))
        assert len(grid(pilot).rows) == 12

        await pilot.press("space")
        assert len(grid(pilot).rows) == 13


async def test_deleted_records_are_gone_while_paused_too(played: PlayedDaemon, opening: Opening) -> None:
    """Whoever deletes them doesn't want to read on."""
    async with opening() as pilot:
        await filled(pilot)
        await pilot.press("p")
        played.say("purged", wire.Forgotten(a_day()[-1].at))
        await until(pilot, lambda: len(grid(pilot).rows) == 1)
        assert "1 request" in line(pilot)

        await pilot.press("p")
        played.say("purged", wire.Forgotten(a_day()[-1].at + timedelta(seconds=1)))
        await until(pilot, lambda: not grid(pilot).rows)


async def test_copying(played: PlayedDaemon, opening: Opening) -> None:
    """`y` copies the id, `Y` the record."""
    async with opening() as pilot:
        await filled(pilot)
        await pilot.press("y")
        assert pilot.app.clipboard == a_day()[-1].id

        await pilot.press("Y")
        assert msgspec.json.decode(pilot.app.clipboard)["id"] == a_day()[-1].id


async def test_enter_opens_a_request_and_esc_comes_back(played: PlayedDaemon, opening: Opening) -> None:
    """The cursor stays where it was."""
    async with opening() as pilot:
        await filled(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Request))

        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, Live))
        assert grid(pilot).key == a_day()[-2].id


async def test_a_wide_terminal_shows_the_request_beside(played: PlayedDaemon, opening: Opening) -> None:
    """Its picture follows the cursor; a narrow one has no room for that."""
    async with opening(size=(200, 50)) as pilot:
        await filled(pilot)
        beside = pilot.app.screen.query_one(Corridor)
        assert beside.display
        await pilot.press("down")
        await until(pilot, lambda: a_day()[-2].id in str(beside.query_one("#picture").render()))

        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: not beside.display)


async def test_an_empty_daemon_says_how_to_begin(where: Any, opening: Opening) -> None:
    """Before the first request the line says where to point a program."""
    from tests.fakes.played_daemon import playing

    async with playing(PlayedDaemon(where)):
        async with opening() as pilot:
            await until(pilot, lambda: "nearloop ask hello" in line(pilot))

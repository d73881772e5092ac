"""The overview: its numbers, its times, and its keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.fakes import told_spending
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import START, draft, record
from tests.tui.conftest import Opening, until
from tui.screens.overview import spoken
from tui.widgets.plot import Plot


def tiles(pilot: Pilot[Any]) -> str:
    return "\n".join(str(tile.render()) for tile in pilot.app.screen.query("Tile"))


def window(pilot: Pilot[Any]) -> str:
    return str(pilot.app.screen.query_one("#window").render())


async def overview(pilot: Pilot[Any]) -> None:
    pilot.app.link.now = lambda: START + timedelta(minutes=4)  # type: ignore[attr-defined]
    await pilot.press("2")
    await until(pilot, lambda: "5 of 10" in tiles(pilot))


async def test_it_sums_the_day(played: PlayedDaemon, opening: Opening) -> None:
    """Share, times, values, money and energy stand on tiles, and the reasons beside."""
    async with opening() as pilot:
        await overview(pilot)
        shown = tiles(pilot)

        for words in (
            "50 %",
            "12",
            "2 not answered",
            "7 values",
            "6 masked, 1 here",
            "$0.0094+?",
            "1 unknown",
            "Cost today",
        ):
            assert words in shown
        assert "a draft was not sure enough" in str(pilot.app.screen.query_one("#why").render())
        assert "█" in str(pilot.app.screen.query_one("#count").render())


async def test_it_follows_what_comes(played: PlayedDaemon, opening: Opening) -> None:
    """A request that ends is in the sums within seconds."""
    async with opening() as pilot:
        await overview(pilot)
        played.say("record", record(13, draft()), record(13, draft()).id)
        await until(pilot, lambda: "6 of 11" in tiles(pilot))


async def test_keys_change_the_time(played: PlayedDaemon, opening: Opening) -> None:
    """Longer, shorter, and round; older records are asked for each time."""
    async with opening() as pilot:
        await overview(pilot)
        asked = played.asked.count("GET records")
        await pilot.press("w", "w", "w")
        await until(pilot, lambda: played.asked.count("GET records") == asked + 3)
        await pilot.press("W", "W")
        await until(pilot, lambda: played.asked.count("GET records") == asked + 5)

        assert "15 min" in window(pilot)


async def test_the_cost_is_that_of_whole_days(played: PlayedDaemon, opening: Opening) -> None:
    """Today's for times within a day, a week's for a week, as the daemon sums all requests; and it follows."""
    asked: list[str] = []
    played.answers["GET spending"] = lambda query: asked.append(query["since"]) or told_spending.report()
    async with opening() as pilot:
        await overview(pilot)
        await until(pilot, lambda: "$1.90+plan+?" in tiles(pilot) and "1 unknown, 7 plan" in tiles(pilot))
        assert set(asked) == {"today"}
        await pilot.press("w", "w")
        await until(pilot, lambda: "Cost, 7 days" in tiles(pilot))
        assert asked[-1] == "7d"
        await pilot.press("w")
        await until(pilot, lambda: "Cost today" in tiles(pilot))
        before = len(asked)
        played.say("spending", {"code": "spending-near", "severity": "warning", "text": "", "remedy": ""})
        await until(pilot, lambda: len(asked) > before)


async def test_a_time_without_requests_is_empty(played: PlayedDaemon, opening: Opening) -> None:
    """An hour after the last one there is nothing to sum, and it says so."""
    async with opening() as pilot:
        await overview(pilot)
        pilot.app.link.now = lambda: START + timedelta(hours=3)  # type: ignore[attr-defined]
        await pilot.press("W")
        await until(pilot, lambda: "0 of 0" in tiles(pilot))

        assert "nothing went beyond it" in str(pilot.app.screen.query_one("#why").render())


async def test_the_second_plot_is_there_where_it_fits(played: PlayedDaemon, opening: Opening) -> None:
    """80×24 has room for one."""
    async with opening(size=(80, 24)) as pilot:
        await overview(pilot)
        assert not pilot.app.screen.query_one("#took", Plot).display
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: pilot.app.screen.query_one("#took", Plot).display)


@pytest.mark.parametrize(("seconds", "words"), [(10, "10 s"), (300, "5 min"), (14400, "4 h")])
def test_steps_are_spoken(seconds: int, words: str) -> None:
    """A step is told in the unit that people use."""
    assert spoken(timedelta(seconds=seconds)) == words

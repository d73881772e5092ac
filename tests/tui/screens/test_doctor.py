"""The doctor: what is in the table, and what each key does."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.fakes import told_faults
from tests.fakes.played_daemon import PlayedDaemon
from tests.tui.conftest import Opening, until
from tui.widgets.grid import Grid


@pytest.fixture
def played(played: PlayedDaemon) -> PlayedDaemon:
    """A daemon with something broken."""
    played.answers["GET doctor"] = told_faults.findings()
    return played


def told(pilot: Pilot[Any]) -> str:
    return "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))


async def shown(pilot: Pilot[Any]) -> None:
    await pilot.press("9")
    await until(
        pilot, lambda: len(pilot.app.screen.query(Grid)) == 1 and len(pilot.app.screen.query_one(Grid).rows) == 7
    )


async def test_it_examines_once_and_again_when_asked(played: PlayedDaemon, opening: Opening) -> None:
    """Coming back shows what was found; `r` looks anew."""
    async with opening() as pilot:
        await shown(pilot)
        assert "1 broken" in told(pilot)
        await pilot.press("1", "9")
        await shown(pilot)
        assert played.asked.count("GET doctor") == 1

        played.answers["GET doctor"] = told_faults.findings()[:2]
        await pilot.press("r")
        await until(pilot, lambda: "broken" not in told(pilot) and "2 well" in told(pilot))


async def test_remedies_are_shown_and_copied(played: PlayedDaemon, opening: Opening) -> None:
    """`y` copies what to do, `Y` everything."""
    async with opening() as pilot:
        await shown(pilot)
        assert "remove --force broken" in told(pilot)
        await pilot.press("y")
        assert pilot.app.clipboard == told_faults.findings()[3].remedy
        await pilot.press("Y")
        assert pilot.app.clipboard.startswith("error: local/broken: its file is damaged\n    `nearloop")
        assert len(pilot.app.clipboard.splitlines()) == 10


async def test_nothing_is_copied_before_it_found_something(played: PlayedDaemon, opening: Opening) -> None:
    """What was copied before stays."""
    played.answers["GET doctor"] = ()
    async with opening() as pilot:
        pilot.app.copy_to_clipboard("before")
        await pilot.press("9")
        await until(pilot, lambda: "GET doctor" in played.asked)
        await pilot.press("y", "Y")
        assert pilot.app.clipboard == "before"


async def test_a_refusal_is_told_and_it_may_be_asked_again(played: PlayedDaemon, opening: Opening) -> None:
    """It doesn't examine for ever."""
    played.refusals["GET doctor"] = "the command failed"
    async with opening() as pilot:
        await pilot.press("9")
        await until(pilot, lambda: len(pilot.app._notifications) == 1)
        del played.refusals["GET doctor"]
        await pilot.press("r")
        await until(pilot, lambda: "1 broken" in told(pilot))

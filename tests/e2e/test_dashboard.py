"""The dashboard before a real daemon with a real provider: what happens is seen, and a key steers it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.fakes.house import house
from tests.fakes.screen_svg import words
from tests.fakes.upstream import HELLO
from tests.tui.conftest import until
from tui.app import Dashboard
from tui.screens.away import Away
from tui.widgets.grid import Grid

pytestmark = pytest.mark.slow


def cells(pilot: Pilot[Any]) -> list[str]:
    """Of the first row."""
    rows = pilot.app.screen.query_one("#requests", Grid).rows
    return [cell.words for cell in rows[0].cells] if rows else []


async def test_a_developer_watches_and_steers(tmp_path: Path) -> None:
    """A masked request is seen with its receipt, its words behind a key alone, the switch turns for the daemon, and its end is a calm screen."""
    async with house(tmp_path, HELLO) as here:
        app = Dashboard(here.daemon.paths)
        async with app.run_test(size=(140, 48)) as pilot:
            await until(pilot, lambda: app.link.picture.status is not None)
            asked = await here.ask("Write to jane.miller@example.org that the meeting is on Monday.")
            assert asked.status_code == 200
            await until(pilot, lambda: "◐ masked" in cells(pilot))
            assert "tests" in cells(pilot)
            assert "work/big" in cells(pilot)

            await pilot.press("enter")
            await until(pilot, lambda: "1 × PERSON" in words(app))
            assert "masked: 1 PERSON" in words(app)
            assert "jane" not in words(app)

            await pilot.press("w")
            await until(pilot, lambda: "✓ verified: digest of receipt #" in words(app))
            assert "jane¹.miller@example.org" in words(app)
            assert "the meeting is on Monday" in str(here.served.requests[0].json["messages"][-1]["content"])
            await pilot.press("escape")
            assert "jane" not in words(app)

            await pilot.press("ctrl+l")
            await until(pilot, lambda: "⌂ local-only" in words(app))
            assert (await asyncio.to_thread(here.control.status)).local_only

            await asyncio.to_thread(here.daemon.stop)
            await until(pilot, lambda: isinstance(app.screen, Away), timeout_s=40)

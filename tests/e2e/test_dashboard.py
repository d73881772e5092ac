"""The dashboard before a real daemon with a real provider: what happens is seen, and a key steers it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from textual.pilot import Pilot

from tests.fakes.house import House, house
from tests.fakes.screen_svg import words
from tests.fakes.upstream import HELLO, Upstream
from tests.tui.conftest import until
from tui.app import Dashboard
from tui.screens.away import Away
from tui.widgets.grid import Grid

pytestmark = pytest.mark.slow

ADDRESS = "ada.quellbrunn@quellbrunn-werke.de"


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


async def held(here: House[Upstream], pilot: Pilot[Any]) -> asyncio.Task[httpx.Response]:
    """A request of a program's that waits for the user's word; the dashboard shows it, and nothing has left."""
    sent = len(here.served.requests)
    asking = asyncio.create_task(here.ask(f"Write to {ADDRESS}"))
    await until(pilot, lambda: asking.done() or ADDRESS in words(pilot.app), timeout_s=60)
    assert not asking.done()
    assert "Approvals 1" in words(pilot.app)
    assert "work/big" in words(pilot.app)
    assert len(here.served.requests) == sent
    return asking


async def test_a_request_that_waits_is_answered_by_a_key(tmp_path: Path) -> None:
    """`y` lets it leave as it is, `m` masked, `n` keeps it; its client gets its answer, or a refusal that says how, and the
    words are gone from the screen.
    """
    async with house(tmp_path, HELLO, policy='classes = { EMAIL_ADDRESS = "ask" }') as here:
        app = Dashboard(here.daemon.paths)
        async with app.run_test(size=(160, 48)) as pilot:
            await until(pilot, lambda: app.link.picture.status is not None)
            await pilot.press("5")
            await until(pilot, lambda: "Nothing waits for your word" in words(app))
            for key, egress, outcome in (("y", "open", "allowed"), ("m", "masked", "masked"), ("n", None, "denied")):
                sent = len(here.served.requests)
                here.served.bytes.clear()
                asking = await held(here, pilot)
                await pilot.press(key)
                answer = await asking

                await until(pilot, lambda: "Nothing waits for your word" in words(app))
                assert ADDRESS not in words(app)
                assert [each.outcome for each in (await here.record(answer)).asked] == [outcome]
                assert (ADDRESS.encode() in here.served.bytes) == (egress == "open")
                if egress is None:
                    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "private")
                    assert "nearloop allow" in answer.json()["error"]["message"]
                    assert len(here.served.requests) == sent
                else:
                    assert answer.json()["choices"][0]["message"]["content"] == "Hello"
                    assert answer.headers["x-nearloop-egress"] == egress
                    assert len(here.served.requests) == sent + 1

"""The page of privacy: its switch, its parts, and news that reach them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import ContentSwitcher

from daemon import wire
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_privacy import NOW, ToldPrivacy, asked, asked_for_call
from tests.tui.conftest import Opening, until
from tui.screens.privacy.page import Switch
from tui.widgets.strip import Strip


@pytest.fixture
def told(played: PlayedDaemon) -> ToldPrivacy:
    """Two questions wait."""
    return ToldPrivacy(played, asked(), asked_for_call())


@pytest.fixture
async def pilot(told: ToldPrivacy, opening: Opening) -> AsyncIterator[Pilot[None]]:
    """On the page, when all its parts have been asked for."""
    async with opening() as opened:
        opened.app.link.now = lambda: NOW  # type: ignore[attr-defined]
        await opened.press("5")
        await until(opened, lambda: names(opened) == " Approvals 2  Receipts 9  Dictionary 4  Policy balanced ")
        yield opened


def names(pilot: Pilot[Any]) -> str:
    found = pilot.app.screen.query(Strip)
    return str(found.first().render()) if found else ""


def front(pilot: Pilot[Any]) -> str | None:
    return pilot.app.screen.query_one(ContentSwitcher).current


async def test_arrows_go_through_the_parts(pilot: Pilot[None]) -> None:
    """Both ways and round, and the part in front has the keys."""
    seen = []
    for key in ("right", "right", "right", "right", "left"):
        await pilot.press(key)
        seen.append(front(pilot))
        assert pilot.app.focused is not None
        assert pilot.app.focused.parent is pilot.app.screen.query_one(f"#{front(pilot)}")

    assert seen == ["receipts", "dictionary", "policy", "approvals", "policy"]


async def test_a_name_is_clicked(pilot: Pilot[None]) -> None:
    """A click on a name brings its part to the front; beside the names it does nothing."""
    column = names(pilot).index("Dictionary") + 1
    await pilot.click(Strip, offset=(column, 0))
    assert front(pilot) == "dictionary"
    await pilot.click(Strip, offset=(110, 0))
    assert front(pilot) == "dictionary"


async def test_the_switch_is_told_and_turned(pilot: Pilot[None], told: ToldPrivacy) -> None:
    """The key keeps everything here at once, a click on the words lets it leave again after a yes."""
    told.daemon.answers["PUT privacy"] = lambda body: wire.Privacy(body["local_only"], "balanced")

    def standing() -> str:
        return str(pilot.app.screen.query_one("#switch").render())

    assert "local-only is off" in standing()
    await pilot.press("l")
    await until(pilot, lambda: "LOCAL-ONLY" in standing())
    await pilot.click(Switch, offset=(3, 1))
    await pilot.press("y")
    await until(pilot, lambda: "local-only is off" in standing())


async def test_news_reach_the_part_that_they_are_for(pilot: Pilot[None], told: ToldPrivacy) -> None:
    """A new question is asked for, and nothing else is."""
    before = len(told.daemon.asked)
    told.ask(asked("q3"))
    await until(pilot, lambda: names(pilot).startswith(" Approvals 3 "))

    assert told.daemon.asked[before:] == ["GET approvals", "GET approvals/q3"]


async def test_a_part_that_is_refused_leaves_the_others(told: ToldPrivacy, opening: Opening) -> None:
    """The daemon's no is shown, and the rest of the page is there."""
    told.daemon.refusals["GET privacy/policy"] = "not for you"
    async with opening() as pilot:
        await pilot.press("5")
        await until(pilot, lambda: names(pilot) == " Approvals 2  Receipts 9  Dictionary 4  Policy ")
        assert {notice.message for notice in pilot.app._notifications} == {"not for you"}


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_every_part_fits(told: ToldPrivacy, opening: Opening, size: tuple[int, int]) -> None:
    """In a small terminal and a large one each part has lines of its own to show."""
    async with opening(size=size) as pilot:
        await pilot.press("5")
        await until(pilot, lambda: names(pilot).startswith(" Approvals 2"))
        for _ in range(4):
            part = pilot.app.screen.query_one(f"#{front(pilot)}")
            assert all(each.size.height > 4 and each.size.width > 30 for each in part.children)
            await pilot.press("right")
            await pilot.pause()

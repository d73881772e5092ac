"""One request: what opens it, what it shows, and its keys."""

from __future__ import annotations

from typing import Any

import msgspec
from textual.pilot import Pilot

from tests.fakes import told_wall
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.told_records import a_day, draft, record
from tests.tui.conftest import Opening, until
from tui.screens.request import Request
from tui.screens.wall import GlassWall


def picture(pilot: Pilot[Any]) -> str:
    return str(pilot.app.screen.query_one("#picture").render())


async def opened(pilot: Pilot[Any], key: str) -> None:
    await until(pilot, lambda: len(pilot.app.link.picture.records) >= 12)  # type: ignore[attr-defined]
    await pilot.app.push_screen(Request(pilot.app.link, key))  # type: ignore[attr-defined]
    await until(pilot, lambda: key in picture(pilot) or "running" in picture(pilot))


async def test_it_goes_to_the_one_before_and_after(played: PlayedDaemon, opening: Opening) -> None:
    """`[` and `]` step through the records, and stop at the ends."""
    async with opening() as pilot:
        await opened(pilot, a_day()[10].id)
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert a_day()[11].id in picture(pilot)

        await pilot.press("left_square_bracket", "o")
        assert a_day()[9].id in picture(pilot)

        await pilot.press("n")
        assert a_day()[10].id in picture(pilot)


async def test_copying(played: PlayedDaemon, opening: Opening) -> None:
    """`y` copies the id, `Y` the record."""
    async with opening() as pilot:
        await opened(pilot, a_day()[1].id)
        await pilot.press("y")
        assert pilot.app.clipboard == a_day()[1].id
        await pilot.press("Y")
        assert msgspec.json.decode(pilot.app.clipboard, type=type(a_day()[1])) == a_day()[1]


async def test_the_glass_wall_opens(played: PlayedDaemon, opening: Opening) -> None:
    """`w` opens it, and `w` or `esc` comes back to the request."""
    told_wall.play(played)
    async with opening() as pilot:
        await opened(pilot, a_day()[1].id)
        for back in ("w", "escape"):
            await pilot.press("w")
            await until(pilot, lambda: isinstance(pilot.app.screen, GlassWall))
            await pilot.press(back)
            await until(pilot, lambda: isinstance(pilot.app.screen, Request))


async def test_a_running_one_becomes_its_picture(played: PlayedDaemon, opening: Opening) -> None:
    """While it runs it says so; when its record comes, it is shown."""
    ended = record(30, draft())
    async with opening() as pilot:
        played.say("request", {"protocol": "openai-chat", "client": None}, ended.id)
        await until(pilot, lambda: ended.id in pilot.app.link.picture.running)  # type: ignore[attr-defined]
        await opened(pilot, ended.id)
        assert "running for" in picture(pilot)

        played.say("record", ended, ended.id)
        await until(pilot, lambda: ended.id in picture(pilot))


async def test_keys_of_other_screens_work_from_it(played: PlayedDaemon, opening: Opening) -> None:
    """Another screen opens over it, and it is still there afterwards."""
    async with opening() as pilot:
        await opened(pilot, a_day()[1].id)
        await pilot.press("2")
        await until(pilot, lambda: pilot.app.current_mode == "overview")
        await pilot.press("1")
        await until(pilot, lambda: isinstance(pilot.app.screen, Request))

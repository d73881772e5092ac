"""What left: the table, one of them, and the chain."""

from __future__ import annotations

from typing import Any

import msgspec
from textual.pilot import Pilot

from daemon import wire
from tests.fakes.told_privacy import BROKEN, HEAD, ToldPrivacy
from tests.tui.conftest import until
from tests.tui.screens.privacy.test_page import pilot, told  # noqa: F401  # fixtures
from tui.screens.request import Request


def words(pilot: Pilot[Any]) -> str:  # noqa: F811
    return str(pilot.app.screen.query_one("#receipts Detail Static").render())


async def test_one_is_told(pilot: Pilot[None]) -> None:  # noqa: F811
    """The newest first, each with all that was written down."""
    await pilot.press("right")
    await pilot.pause()
    assert "Receipt 9" in words(pilot)
    await pilot.press("down", "down")
    await pilot.pause()

    assert "none, it went in clear" in words(pilot)
    assert "127.0.0.1/v1/chat/completions" in words(pilot)


async def test_the_chain_is_checked(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """Whole: with its head, which can be copied. Broken: where."""
    await pilot.press("right", "v")
    await until(pilot, lambda: "the chain is whole" in words(pilot))
    assert HEAD[:20] in words(pilot)
    await pilot.press("c")
    assert pilot.app.clipboard == HEAD

    told.daemon.answers["GET receipts/chain"] = BROKEN
    await pilot.press("v")
    await until(pilot, lambda: "BROKEN" in words(pilot))
    assert "link 7 does not follow link 6" in words(pilot)
    await pilot.press("down")
    await pilot.pause()
    assert "Receipt 8" in words(pilot)


async def test_one_is_copied(pilot: Pilot[None]) -> None:  # noqa: F811
    """As JSON."""
    await pilot.press("right", "c")

    assert msgspec.json.decode(pilot.app.clipboard, type=wire.Receipt).number == 9


async def test_its_request_opens(pilot: Pilot[None]) -> None:  # noqa: F811
    """By enter; a question for the list of models was for none, and that is said."""
    await pilot.press("right", "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, Request))
    await pilot.press("escape")
    await until(pilot, lambda: not isinstance(pilot.app.screen, Request))
    await pilot.press("end", "up", "up", "o")
    await until(pilot, lambda: len(pilot.app._notifications) == 1)

    assert "no request" in next(iter(pilot.app._notifications)).message

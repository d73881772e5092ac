"""What left: the table, one of them, and the chain."""

from __future__ import annotations

from typing import Any

import msgspec
from textual.pilot import Pilot

from daemon import wire
from tests.fakes.told_privacy import BROKEN, HEAD, ToldPrivacy, proof
from tests.tui.conftest import until
from tests.tui.screens.privacy.test_page import pilot, told  # noqa: F401  # fixtures
from tui.screens.ask import Ask
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


async def test_what_they_prove(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """Asked since when, the sentence is shown with its evidence; the head can be copied; the next row is a receipt again."""
    given: list[dict[str, Any]] = []

    def answer(query: dict[str, Any]) -> wire.LocalProof:
        given.append(query)
        return proof("left" if query["since"] == "7d" else "nothing-left")

    told.daemon.answers["GET prove-local"] = answer
    await pilot.press("right", "p")
    await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.press(*"7d", "enter")
    await until(pilot, lambda: given and "something left this machine" in words(pilot))
    assert "7 requests to work" in words(pilot)
    assert [each.severity for each in pilot.app._notifications] == ["warning"]

    await pilot.press("p")
    await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.press(*"1h", "enter")
    await until(pilot, lambda: "nothing left this machine" in words(pilot))
    assert [each["since"] for each in given] == ["7d", "1h"]
    await pilot.press("c")
    assert pilot.app.clipboard == HEAD
    await pilot.press("down")
    await pilot.pause()
    assert "Receipt 8" in words(pilot)


async def test_a_time_that_is_none(pilot: Pilot[None], told: ToldPrivacy) -> None:  # noqa: F811
    """The daemon's own words say what a time is; leaving the question asks nothing."""
    told.daemon.refusals["GET prove-local"] = "say since when, as an age"
    await pilot.press("right", "p")
    await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.press("escape")
    await until(pilot, lambda: not isinstance(pilot.app.screen, Ask))
    assert "GET prove-local" not in told.daemon.asked

    await pilot.press("p")
    await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await pilot.press(*"soon", "enter")
    await until(pilot, lambda: len(pilot.app._notifications) == 1)
    assert "as an age" in next(iter(pilot.app._notifications)).message
    assert "Receipt 9" in words(pilot)


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

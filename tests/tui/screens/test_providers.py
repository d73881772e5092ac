"""Providers and keys: what is in the table, and what each key does."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from daemon import wire
from tests.fakes import told_providers
from tests.fakes.played_daemon import PlayedDaemon
from tests.tui.conftest import Opening, until
from tui.screens.ask import Ask
from tui.screens.confirm import Confirm
from tui.widgets.grid import Grid

KEY = "sk-canary-0815"


@pytest.fixture
def played(played: PlayedDaemon) -> PlayedDaemon:
    """A daemon with a provider in each place."""
    played.answers |= {
        "GET providers": told_providers.providers(),
        "POST providers/work/test": told_providers.tested(),
    }
    return played


def told(pilot: Pilot[Any]) -> str:
    return "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))


async def shown(pilot: Pilot[Any]) -> None:
    await pilot.press("4")
    await until(
        pilot, lambda: len(pilot.app.screen.query(Grid)) == 1 and len(pilot.app.screen.query_one(Grid).rows) == 5
    )


async def test_a_test_tells_how_it_does(played: PlayedDaemon, opening: Opening) -> None:
    """`t` asks for its models; what went wrong is told in the daemon's words."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("t")
        await until(pilot, lambda: "answers in 212 ms, 2 models" in told(pilot))

        played.refusals["POST providers/ollama/test"] = "ollama can't be reached: check the network"
        await pilot.press("down", "t")
        await until(pilot, lambda: "can't be reached" in told(pilot))


async def test_a_key_is_typed_unseen_and_never_shown(played: PlayedDaemon, opening: Opening) -> None:
    """It goes to the daemon once, and stands nowhere on the screen, in a notice or in what a worker is called."""
    sent = []

    def keep(body: dict[str, Any]) -> wire.ProviderInfo:
        sent.append(body)
        return told_providers.providers().providers[0]

    played.answers["PUT providers/work/key"] = keep
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*KEY)
        assert pilot.app.screen.query_one(Input).value == KEY
        assert KEY not in pilot.app.export_screenshot()
        await pilot.press("enter")
        await until(pilot, lambda: len(sent) == 1)
        await until(pilot, lambda: len(pilot.app._notifications) == 1)

        assert sent == [{"key": KEY}]
        assert KEY not in pilot.app.export_screenshot()
        assert KEY not in repr(list(pilot.app.workers)) + repr(list(pilot.app._notifications))
        await until(pilot, lambda: played.asked.count("GET providers") >= 2)


async def test_a_key_that_is_refused_is_not_told(played: PlayedDaemon, opening: Opening) -> None:
    """The notice has the daemon's words, and the field's are gone."""
    played.refusals["PUT providers/work/key"] = "the keyring is locked"
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*KEY, "enter")
        await until(pilot, lambda: len(pilot.app._notifications) == 1)

        assert [each.message for each in pilot.app._notifications] == ["the keyring is locked"]
        assert KEY not in pilot.app.export_screenshot()


async def test_esc_sends_nothing(played: PlayedDaemon, opening: Opening) -> None:
    """Nothing typed is kept."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*KEY, "escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, Ask))
        assert not any(each.startswith("PUT") for each in played.asked)


async def test_removing_a_key_takes_a_yes(played: PlayedDaemon, opening: Opening) -> None:
    """No is the first choice."""
    played.answers["DELETE providers/work/key"] = told_providers.providers().providers[0]
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("x", "n")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "DELETE providers/work/key" not in played.asked
        await pilot.press("y")
        await until(pilot, lambda: "DELETE providers/work/key" in played.asked)


async def test_without_providers_it_says_how_to_add_one(played: PlayedDaemon, opening: Opening) -> None:
    """And `r` looks again."""
    played.answers["GET providers"] = wire.Providers(())
    async with opening() as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "nearloop provider add NAME" in told(pilot))
        played.answers["GET providers"] = told_providers.providers()
        await pilot.press("r")
        await until(pilot, lambda: "5 providers" in told(pilot))

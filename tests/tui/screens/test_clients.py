"""Clients: what is in the table, and what each key does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from daemon import wire
from tests.fakes import told_clients, told_spending
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.screen_svg import words
from tests.tui.conftest import Opening, until
from tui.screens.ask import Ask
from tui.screens.clients import Clients
from tui.screens.confirm import Confirm
from tui.screens.form import Form
from tui.screens.reading import Reading
from tui.screens.scopes import Scopes
from tui.screens.token import Token
from tui.widgets.grid import Grid

TOKEN = "nl_canary-token"


@pytest.fixture
def played(played: PlayedDaemon) -> PlayedDaemon:
    """A daemon with clients."""
    played.answers |= {
        "GET clients": told_clients.clients(),
        "GET clients/programs": told_clients.programs(),
        "POST clients": lambda body: wire.NewToken(body["name"], TOKEN, tuple(body["scopes"])),
    }
    return played


def told(pilot: Pilot[Any]) -> str:
    return "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))


async def shown(pilot: Pilot[Any]) -> None:
    await pilot.press("8")
    await until(
        pilot, lambda: len(pilot.app.screen.query(Grid)) == 1 and len(pilot.app.screen.query_one(Grid).rows) == 6
    )


async def test_a_name_that_is_none_leaves_room_for_what_it_may(played: PlayedDaemon, opening: Opening) -> None:
    """However long; the daemon says what a name is."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        pilot.app.screen.query_one("Input", Input).value = "x(" * 5000
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Scopes))
        assert "…" in told(pilot)
        assert "make the token" in told(pilot)
        assert len(told(pilot)) < 600


async def test_a_token_is_made_shown_once_and_copied(played: PlayedDaemon, opening: Opening) -> None:
    """Name, rights, token; closed, it stands nowhere any more."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*"tool", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Scopes))
        await pilot.press("down", "space", "down", "space", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Token))

        assert TOKEN in told(pilot)
        assert "It may: infer:local, read:records" in told(pilot)
        assert pilot.app.clipboard == TOKEN
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, Clients))
        assert TOKEN not in pilot.app.export_screenshot()
        assert TOKEN not in repr(list(pilot.app.workers))


async def test_a_token_has_to_be_good_for_something(played: PlayedDaemon, opening: Opening) -> None:
    """Without a scope nothing is made; esc makes none either."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*"tool", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Scopes))
        await pilot.press("space", "down", "space", "enter")
        await until(pilot, lambda: len(pilot.app._notifications) == 1)
        assert isinstance(pilot.app.screen, Scopes)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, Clients))
        assert "POST clients" not in played.asked


async def test_a_name_that_is_taken_is_refused_in_words(played: PlayedDaemon, opening: Opening) -> None:
    """The daemon's."""
    played.refusals["POST clients"] = "[clients.zed] is there already"
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*"zed", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Scopes))
        await pilot.press("enter")
        await until(pilot, lambda: len(pilot.app._notifications) == 1)
        assert [each.message for each in pilot.app._notifications] == ["[clients.zed] is there already"]


async def test_revoking_takes_a_yes(played: PlayedDaemon, opening: Opening) -> None:
    """Of a client; what has no token is told so."""
    played.answers["DELETE clients/claude-code"] = wire.Clients(told_clients.clients().clients[1:])
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "DELETE clients/claude-code" not in played.asked
        await pilot.press("y")
        await until(pilot, lambda: "DELETE clients/claude-code" in played.asked)
        await pilot.press("end", "x")
        await until(pilot, lambda: any("no token" in each.message for each in pilot.app._notifications))


async def test_the_command_is_copied(played: PlayedDaemon, opening: Opening) -> None:
    """Of the program with the cursor, whose detail says what it does."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("down", "down", "down", "y")
        assert pilot.app.clipboard == "nearloop connect aider"
        await until(pilot, lambda: "keeps what was there" in told(pilot))


async def test_a_scope_is_clicked(played: PlayedDaemon, opening: Opening) -> None:
    """A second click on the row turns it."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.app.push_screen(Scopes("tool"))
        await pilot.pause()
        grid = pilot.app.screen.query_one(Grid)
        for _ in range(2):
            await pilot.click(Grid, offset=(8, 2))
        await pilot.pause()
        assert [row.cells[0].words for row in grid.rows] == ["[✓]", "[ ]", "[ ]", "[ ]"]


def notices(pilot: Pilot[Any]) -> list[str]:
    return [each.message for each in pilot.app._notifications]


async def at(pilot: Pilot[Any], key: str) -> None:
    """Put the cursor on a row."""
    await shown(pilot)
    grid = pilot.app.screen.query_one(Grid)
    while grid.key != key:
        await pilot.press("down")


async def test_a_program_is_connected_after_a_look(played: PlayedDaemon, opening: Opening) -> None:
    """What would change is shown, a yes does just that, and what is left to do stands there with the token, which `y` copies;
    closed, the token stands nowhere.
    """
    sent: list[dict[str, Any]] = []
    played.answers["GET clients/programs/aider"] = told_clients.plan()
    played.answers["POST clients/programs/aider"] = lambda body: sent.append(body) or told_clients.done()
    async with opening() as pilot:
        await at(pilot, "program aider")
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, Reading))
        shown_now = words(pilot.app)
        assert "-model: sonnet" in shown_now
        assert "+model: openai/auto" in shown_now
        assert "/home/ada/.env  will be made" in shown_now
        assert "A token named aider will be made" in shown_now
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, Reading)
        assert sent == []
        await pilot.press("y")
        await until(pilot, lambda: "Aider is connected" in words(pilot.app))

        assert sent == [{"digest": "d" * 64}]
        assert "/home/ada/.env holds the token" in words(pilot.app)
        await pilot.press("y")
        assert pilot.app.clipboard == "API key: nl_canary-of-aider"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Clients))
        assert "canary" not in words(pilot.app)
        assert "canary" not in repr(list(pilot.app.workers)) + repr(notices(pilot))
        await until(pilot, lambda: played.asked.count("GET clients/programs") >= 2)


@pytest.mark.parametrize("key", ["n", "escape"])
async def test_no_connects_nothing(played: PlayedDaemon, opening: Opening, key: str) -> None:
    """Nothing is sent."""
    played.answers["GET clients/programs/aider"] = told_clients.plan()
    async with opening() as pilot:
        await at(pilot, "program aider")
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, Reading))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(pilot.app.screen, Clients))
        assert "POST clients/programs/aider" not in played.asked


async def test_what_cant_be_connected_is_told(played: PlayedDaemon, opening: Opening) -> None:
    """A client without a program, variables for a shell, one that is connected already, and the daemon's own refusals."""
    played.answers["GET clients/programs/zed"] = msgspec.structs.replace(
        told_clients.plan("zed"), title="Zed", files=(), makes_token=False
    )
    played.refusals["GET clients/programs/codex"] = "config.toml, line 2: it is no TOML: nothing was changed"
    async with opening() as pilot:
        for row, said in (
            ("client claude-code", "nothing of its settings is known"),
            ("client zed", "Zed is connected already"),
            ("program codex", "line 2: it is no TOML"),
            ("program env", "y copies the command"),
        ):
            await at(pilot, row)
            await pilot.press("c")
            await until(pilot, lambda said=said: any(said in each for each in notices(pilot)))  # type: ignore[misc]


async def test_a_connection_is_undone_after_a_yes(played: PlayedDaemon, opening: Opening) -> None:
    """Files and token; what isn't connected is told so, and a file that was changed since stays."""
    played.answers["DELETE clients/programs/zed"] = told_clients.undone()
    async with opening() as pilot:
        await at(pilot, "client zed")
        await pilot.press("u")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        await pilot.press("n", "u")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "DELETE clients/programs/zed" not in played.asked
        await pilot.press("y")
        await until(pilot, lambda: "/home/ada/.zed is gone again" in notices(pilot))
        assert "/home/ada/.config/zed/settings.json is as it was" in notices(pilot)

        played.refusals["DELETE clients/programs/zed"] = "settings.json was changed since it was connected"
        await pilot.press("u")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: any("was changed since" in each for each in notices(pilot)))
        await at(pilot, "program aider")
        await pilot.press("u")
        await until(pilot, lambda: "It is not connected" in notices(pilot))


async def test_a_client_is_limited(played: PlayedDaemon, opening: Opening) -> None:
    """What it may now stands in the form; what can't be is told there, an empty line is no limit, and the table shows it."""
    sent: list[dict[str, Any]] = []
    first, *others = told_clients.clients().clients
    after = wire.Clients((msgspec.structs.replace(first, per_day=wire.PerDay(12)), *others))

    def limited(body: dict[str, Any]) -> wire.Clients:
        sent.append(body)
        played.answers["GET clients"] = after
        return after

    played.answers["PUT clients/claude-code/per_day"] = limited
    async with opening(size=(200, 50)) as pilot:
        await shown(pilot)
        assert "431k/500k tokens +2" in words(pilot.app)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        assert [each.value for each in pilot.app.screen.query(Input)] == ["300", "500000", "2.5"]
        await pilot.press(*["backspace"] * 3, *"x", "enter")
        await until(pilot, lambda: "whole numbers above 0" in words(pilot.app))
        assert sent == []
        await pilot.press("backspace", *"12", "down", *["backspace"] * 6, "down", *["backspace"] * 3, "enter")
        await until(pilot, lambda: len(sent) == 1)

        assert sent == [{"requests": 12, "tokens": None, "cost_usd": None}]
        await until(pilot, lambda: "12/12 requests" in words(pilot.app))
        assert "refused until midnight" in words(pilot.app)
        await until(pilot, lambda: "claude-code may take a day: 12 requests" in notices(pilot))
        await at(pilot, "program aider")
        await pilot.press("l")
        await until(pilot, lambda: any("no token" in each for each in notices(pilot)))


async def test_what_was_taken_follows(played: PlayedDaemon, opening: Opening) -> None:
    """With each request that ends, as long as somebody has a limit; refused, the form's words are not kept."""
    played.refusals["PUT clients/claude-code/per_day"] = "settings.toml can't be written"
    async with opening(size=(200, 50)) as pilot:
        await shown(pilot)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        await pilot.press("enter")
        await until(pilot, lambda: any("can't be written" in each for each in notices(pilot)))
        first, *others = told_clients.clients().clients
        taken = wire.Taken(300, 1, 0.0)
        played.answers["GET clients"] = wire.Clients((msgspec.structs.replace(first, today=taken), *others))
        played.say("record", next(iter(played.records.values())))
        await until(pilot, lambda: "300/300 requests" in words(pilot.app))


async def test_what_they_cost_today_is_the_daemons_to_say(played: PlayedDaemon, opening: Opening) -> None:
    """By client, asked as such."""
    asked: list[str] = []
    played.answers["GET spending"] = lambda query: asked.append(query["by"]) or told_spending.report("client")
    async with opening(size=(200, 50)) as pilot:
        await at(pilot, "client zed")
        await until(pilot, lambda: "$1.90+? (1 unknown)" in words(pilot.app))
        assert set(asked) == {"client"}

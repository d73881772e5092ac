"""Providers and keys: what is in the table, and what each key does."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from daemon import wire
from tests.fakes import told_providers, told_spending
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.screen_svg import words
from tests.tui.conftest import Opening, until
from tui.screens.choose import Choose
from tui.screens.confirm import Confirm
from tui.screens.form import Form
from tui.screens.providers import Providers, read_limit
from tui.widgets.grid import Grid

KEY = "sk-canary-0815"


@pytest.fixture
def played(played: PlayedDaemon) -> PlayedDaemon:
    """A daemon with a provider in each place."""
    played.answers |= {
        "GET providers": told_providers.providers(),
        "GET providers/vendors": told_providers.vendors(),
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
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        await pilot.press(*KEY)
        assert pilot.app.screen.query_one("#key", Input).value == KEY
        assert KEY not in pilot.app.export_screenshot()
        await pilot.press("enter")
        await until(pilot, lambda: len(sent) == 1)
        await until(pilot, lambda: len(pilot.app._notifications) == 1)

        assert sent == [{"key": KEY, "day_usd": 5.0}]
        assert KEY not in pilot.app.export_screenshot()
        assert KEY not in repr(list(pilot.app.workers)) + repr(list(pilot.app._notifications))
        await until(pilot, lambda: played.asked.count("GET providers") >= 2)


async def test_a_key_comes_with_a_limit_and_a_label(played: PlayedDaemon, opening: Opening) -> None:
    """An amount that is none is told, and the key has to be typed again; where nothing is paid, nobody asks."""
    sent: list[dict[str, Any]] = []
    played.answers |= {
        "PUT providers/work/key": lambda body: sent.append(body) or told_providers.providers().providers[0],
        "PUT providers/ollama/key": lambda body: sent.append(body) or told_providers.providers().providers[1],
    }
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("s")
        await form(pilot)
        await pilot.press(*KEY, "tab", *"lots", "enter")
        await until(pilot, lambda: "a limit is an amount in USD" in told(pilot))
        assert [each.value for each in pilot.app.screen.query(Input)] == ["", "lots", ""]
        await pilot.press(*KEY, "tab", *["backspace"] * 4, *"none", "tab", *"spare", "enter")
        await until(pilot, lambda: len(sent) == 1)
        assert sent == [{"key": KEY, "label": "spare", "day_usd": None}]

        await until(pilot, lambda: isinstance(pilot.app.screen, Providers))
        await pilot.press("down", "s")
        await form(pilot)
        assert "USD a day" not in words(pilot.app)
        await pilot.press(*KEY, "enter")
        await until(pilot, lambda: len(sent) == 2)
        assert sent[1] == {"key": KEY}


def test_what_a_limit_may_be() -> None:
    """Nothing typed is the usual one, or what is set already."""
    assert [read_limit(*each) for each in (("", None), ("", 3.0), ("none", 3.0), ("0", None), ("2.5", 1.0))] == [
        5.0, UNSET, None, 0.0, 2.5,
    ]  # fmt: skip
    for wrong in ("-1", "inf", "nan", "five"):
        with pytest.raises(ValueError, match="in USD"):
            read_limit(wrong, None)


async def test_a_key_that_is_refused_is_not_told(played: PlayedDaemon, opening: Opening) -> None:
    """The notice has the daemon's words, and the field's are gone."""
    played.refusals["PUT providers/work/key"] = "the keyring is locked"
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        await pilot.press(*KEY, "enter")
        await until(pilot, lambda: len(pilot.app._notifications) == 1)

        assert [each.message for each in pilot.app._notifications] == ["the keyring is locked"]
        assert KEY not in pilot.app.export_screenshot()


async def test_esc_sends_nothing(played: PlayedDaemon, opening: Opening) -> None:
    """Nothing typed is kept."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        await pilot.press(*KEY, "escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, Form))
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
        await until(pilot, lambda: "a adds one" in told(pilot))
        played.answers["GET providers"] = told_providers.providers()
        await pilot.press("r")
        await until(pilot, lambda: "5 providers" in told(pilot))


async def form(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, Form))


async def test_a_vendor_is_added_and_its_key_asked_for(played: PlayedDaemon, opening: Opening) -> None:
    """A known one is chosen, its name stands there, and what the daemon says of it is shown; those that are here already
    are not offered.
    """
    sent: list[dict[str, Any]] = []
    played.answers["POST providers"] = lambda body: sent.append(body) or told_providers.added()
    played.answers["PUT providers/openai/key"] = told_providers.added().provider
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        options = pilot.app.screen.query_one(OptionList)
        offered = [str(options.get_option_at_index(each).prompt) for each in range(options.option_count)]
        assert offered == ["openai", "lmstudio", "another one, by its address"]
        await pilot.press("enter")
        await form(pilot)
        assert "https://api.openai.com/v1, which is its own" in words(pilot.app)
        await pilot.press("tab", *"big, small", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        assert "The key of openai" in told(pilot)
        assert any("counts as somebody else's" in each.message for each in pilot.app._notifications)
        await pilot.press(*KEY, "enter")
        await until(pilot, lambda: "PUT providers/openai/key" in played.asked)

        expected = {
            "name": "openai",
            "base_url": None,
            "wire": None,
            "models": ["big", "small"],
            "key": None,
            "place": None,
        }
        assert sent == [expected]


async def test_another_one_is_added_by_its_address(played: PlayedDaemon, opening: Opening) -> None:
    """What the daemon has against it stands in the form, with what was typed; a place that is none is told before."""
    sent: list[dict[str, Any]] = []
    played.answers["POST providers"] = lambda body: sent.append(body) or told_providers.added(key="none", name="lab-2")
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("end", "enter")
        await form(pilot)
        await pilot.press(*"lab-2", "tab", *"10.0.0.8:1", "down", "down", "down", *"moon", "enter")
        await until(pilot, lambda: "place is device, lan or cloud" in words(pilot.app))
        assert sent == []
        played.refusals["POST providers"] = "base_url must start with https://"
        await pilot.press("up", *["backspace"] * 4, *"lan", "enter")
        await until(pilot, lambda: "must start with https://" in words(pilot.app))
        assert [each.value for each in pilot.app.screen.query(Input)] == ["lab-2", "10.0.0.8:1", "", "", "lan"]
        del played.refusals["POST providers"]
        await pilot.press("tab", "home", *"http://", "enter")
        await until(pilot, lambda: len(sent) == 1)

        assert (sent[0]["base_url"], sent[0]["place"]) == ("http://10.0.0.8:1", "lan")
        await until(pilot, lambda: isinstance(pilot.app.screen, Providers))


async def test_a_form_that_is_left_adds_nothing(played: PlayedDaemon, opening: Opening) -> None:
    """Esc, on the choice and in the form."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("escape", "a")
        await until(pilot, lambda: isinstance(pilot.app.screen, Choose))
        await pilot.press("enter")
        await form(pilot)
        await pilot.press(*"x", "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, Providers))
        assert "POST providers" not in played.asked


async def test_removing_a_provider_takes_a_yes(played: PlayedDaemon, opening: Opening) -> None:
    """It says that the key stays, and that it is asked until the daemon ends; the row stays until then."""
    left = told_providers.removed()
    played.answers["DELETE providers/work"] = left
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "Its key stays in the keyring" in told(pilot)
        await pilot.press("n", "d")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "DELETE providers/work" not in played.asked
        played.answers["GET providers"] = left
        await pilot.press("y")
        await until(pilot, lambda: "DELETE providers/work" in played.asked)
        await until(pilot, lambda: "removed" in words(pilot.app))
        await pilot.press("end", "d")
        await until(pilot, lambda: any("already" in each.message for each in pilot.app._notifications))


async def test_a_removal_that_is_refused(played: PlayedDaemon, opening: Opening) -> None:
    """In the daemon's words."""
    played.refusals["DELETE providers/work"] = "the settings say what work may see: take that out first"
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: any("take that out first" in each.message for each in pilot.app._notifications))


async def test_what_they_cost_today_is_the_daemons_to_say(played: PlayedDaemon, opening: Opening) -> None:
    """Of each and of all, also of requests that no record is here of; and it follows."""
    told_spending.play(played)
    async with opening(size=(200, 50)) as pilot:
        await shown(pilot)
        await until(pilot, lambda: "5 providers · $1.90+plan+? (1 unknown, 7 plan) today" in words(pilot.app))
        assert "$1.90+? (1 unknown), 12 calls, 260300 tokens" in words(pilot.app)
        more = replace(told_spending.WORK, cost_usd=4.5)
        played.answers["GET spending"] = replace(told_spending.report(), rows=(more,))
        played.say("record", next(iter(played.records.values())))
        await until(pilot, lambda: "$4.50+?" in words(pilot.app))

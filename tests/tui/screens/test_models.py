"""Models: what is in the table, and what each key does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from daemon import wire
from tests.fakes import told_models
from tests.fakes.played_daemon import PlayedDaemon
from tests.tui.conftest import Opening, until
from tui.screens.ask import Ask
from tui.screens.confirm import Confirm
from tui.widgets.grid import Grid


@pytest.fixture
def played(played: PlayedDaemon) -> PlayedDaemon:
    """A daemon with models in each state."""
    played.status = msgspec.structs.replace(played.status, models=told_models.models())
    played.answers |= {"GET inventory": told_models.inventory(), "GET devices": told_models.devices()}
    return played


def names(pilot: Pilot[Any]) -> list[str]:
    return [row.key for row in pilot.app.screen.query_one(Grid).rows]


def state(pilot: Pilot[Any], name: str) -> str:
    return next(row.cells[2].words for row in pilot.app.screen.query_one(Grid).rows if row.key == name)


def told(pilot: Pilot[Any]) -> str:
    return "\n".join(str(each.render()) for each in pilot.app.screen.query("Static"))


async def shown(pilot: Pilot[Any]) -> None:
    await pilot.press("3")
    await until(pilot, lambda: len(pilot.app.screen.query(Grid)) == 1 and len(names(pilot)) == 7)


async def test_all_models_are_there(played: PlayedDaemon, opening: Opening) -> None:
    """Those in use first; the line says how many are loaded and what memory is left; the detail follows the cursor."""
    async with opening() as pilot:
        await shown(pilot)
        assert names(pilot)[:2] == ["SmolLM2-135M-Instruct", "coder-7b"]
        assert "4 models in use, 1 loaded · 6.2 GB of 16.4 GB memory free" in told(pilot)
        await pilot.press("down", "down", "down")
        await until(pilot, lambda: "its file is damaged" in told(pilot))


@pytest.mark.parametrize(
    ("key", "path", "body"),
    [
        ("l", "POST models/SmolLM2-135M-Instruct/load", None),
        ("u", "POST models/SmolLM2-135M-Instruct/unload", None),
        ("s", "POST models/SmolLM2-135M-Instruct/keep", {"pinned": True}),
    ],
)
async def test_a_key_does_it(played: PlayedDaemon, opening: Opening, key: str, path: str, body: Any) -> None:
    """Load, unload, stay: one key each, of the model with the cursor."""
    sent = []

    def answer(given: dict[str, Any]) -> wire.Model:
        sent.append(given)
        return told_models.ready()

    played.answers[path] = answer
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press(key)
        await until(pilot, lambda: len(sent) == 1)

    assert body is None or sent == [body]


async def test_what_is_not_in_use_is_not_loaded(played: PlayedDaemon, opening: Opening) -> None:
    """It says so, and asks the daemon nothing."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("end", "l")
        await until(pilot, lambda: len(pilot.app._notifications) == 1)
        assert not any(each.endswith("/load") for each in played.asked)


async def test_a_fetch_takes_a_yes_and_shows_how_far_it_is(played: PlayedDaemon, opening: Opening) -> None:
    """The question says what it is; then the row goes on by events, and `x` stops it."""
    played.answers["POST inventory/fetches"] = lambda body: wire.Fetch(body["model"], "running")
    played.answers["DELETE inventory/fetches"] = {"status": "stopping"}
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("down", "down", "down", "down", "f")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "640.0 MB, licence: Apache-2.0" in told(pilot)
        await pilot.press("y")
        await until(pilot, lambda: "POST inventory/fetches" in played.asked)

        played.say("fetch", wire.Fetch("qwen3-0.6b", "running", "", "a.gguf", 320, 640))
        await until(pilot, lambda: "fetching 50%" in told(pilot))
        await pilot.press("x")
        await until(pilot, lambda: "DELETE inventory/fetches" in played.asked)


async def test_a_model_of_another_maker_is_named(played: PlayedDaemon, opening: Opening) -> None:
    """`o` asks for repository and file."""
    sent = []

    def answer(body: dict[str, Any]) -> wire.Fetch:
        sent.append(body)
        return wire.Fetch(body["model"], "running")

    played.answers["POST inventory/fetches"] = answer
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
        await pilot.press(*"me/small", "space", *"s.gguf", "enter")
        await until(pilot, lambda: len(sent) == 1)

    assert sent == [{"model": "me/small", "file": "s.gguf"}]


async def test_the_name_is_copied(played: PlayedDaemon, opening: Opening) -> None:
    """As a program has to say it."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("y")
        assert pilot.app.clipboard == "local/SmolLM2-135M-Instruct"


async def test_a_change_of_the_settings_is_looked_at(played: PlayedDaemon, opening: Opening) -> None:
    """A model that was fetched and put to use is there without a key."""
    async with opening() as pilot:
        await shown(pilot)
        more = told_models.inventory()
        played.answers["GET inventory"] = wire.Inventory((*more.models, told_models.holding("new", "download")), ())
        played.say("settings", {"clients": [], "models": []})
        await until(pilot, lambda: "new" in names(pilot))


async def test_what_takes_a_moment_is_asked_once(played: PlayedDaemon, opening: Opening) -> None:
    """Progress and coming back ask for no inventory; the end of a fetch does."""
    async with opening() as pilot:
        await shown(pilot)
        for done in (1, 2, 3):
            played.say("fetch", wire.Fetch("qwen3-0.6b", "running", "", "a.gguf", done, 4))
            await until(pilot, lambda words=f"fetching {25 * done}%": words in state(pilot, "qwen3-0.6b"))  # type: ignore[misc]
        await pilot.press("1", "3")
        await shown(pilot)
        assert played.asked.count("GET inventory") == 1

        played.say("fetch", wire.Fetch("qwen3-0.6b", "done"))
        await until(pilot, lambda: played.asked.count("GET inventory") == 2)

"""The Money screen: sums, limits, and what each key does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Input

from tests.fakes import told_spending
from tests.fakes.played_daemon import PlayedDaemon
from tests.fakes.screen_svg import words
from tests.tui.conftest import Opening, until
from tui.screens.away import Away
from tui.screens.form import Form
from tui.screens.money import Money
from tui.widgets.grid import Grid


@pytest.fixture
def asked(played: PlayedDaemon) -> list[dict[str, str]]:
    """What the daemon was asked of its sums, as it answers."""
    found: list[dict[str, str]] = []

    def answer(query: dict[str, str]) -> Any:
        found.append(query)
        return told_spending.report(query["by"], query["since"])

    played.answers["GET spending"] = answer
    return found


async def shown(pilot: Pilot[Any]) -> None:
    await pilot.press("$")
    await until(pilot, lambda: bool(pilot.app.screen.query(Grid)) and len(pilot.app.screen.query_one(Grid).rows) == 4)


async def at(pilot: Pilot[Any], key: str) -> None:
    """Put the cursor on a row."""
    grid = pilot.app.screen.query_one(Grid)
    await pilot.press("home")
    while grid.key != key:
        await pilot.press("down")


def rows(pilot: Pilot[Any]) -> list[str]:
    return [row.cells[0].words for row in pilot.app.screen.query_one(Grid).rows]


async def test_it_shows_what_was_spent(asked: list[dict[str, str]], opening: Opening) -> None:
    """Against limits, by provider, with unknown and plan apart from nothing, and what was saved as an estimate."""
    async with opening() as pilot:
        await shown(pilot)
        said = words(pilot.app)

        assert asked[0] == {"by": "provider", "since": "today"}
        assert rows(pilot) == ["all", "work", "flat", "local"]
        assert [row.cells[1].words for row in pilot.app.screen.query_one(Grid).rows] == [
            "$1.90+plan+?", "$1.90+?", "plan", "$0",
        ]  # fmt: skip
        for each in (
            "of $5.00, 38 %",
            "$31.40 no limit",
            "of $1.50 a month, 100 %, reached",
            "of $2.00 a day, 95 %, near",
        ):
            assert each in said
        assert "41 answers in 3:07, 12.4 kJ · ≈ $0.0123 saved (estimate)" in said
        await at(pilot, "of work")
        await until(pilot, lambda: "11 calls, 3 of them told by the provider" in words(pilot.app))


async def test_keys_choose_whose_and_since_when(asked: list[dict[str, str]], opening: Opening) -> None:
    """By each thing and back; of a day the newest stands first, and whoever has a limit stands there without a call."""
    async with opening() as pilot:
        await shown(pilot)
        await pilot.press("b", "b")
        await until(pilot, lambda: rows(pilot) == ["all", "zed", "aider", "(none)"])
        await pilot.press("b")
        await until(pilot, lambda: rows(pilot) == ["all", "medical"])
        await pilot.press("B", "B", "B", "B")
        await until(pilot, lambda: rows(pilot) == ["all", "2026-01-02", "2026-01-01"])
        await pilot.press("w")
        await until(pilot, lambda: asked[-1] == {"by": "day", "since": "month"})
        await until(pilot, lambda: "all, since 2026-01-01" in words(pilot.app))
        await pilot.press("W", "W")
        await until(pilot, lambda: asked[-1] == {"by": "day", "since": "7d"})


@pytest.mark.parametrize("kind", ["record", "request", "spending", "settings", "purged"])
async def test_it_follows(kind: str, played: PlayedDaemon, asked: list[dict[str, str]], opening: Opening) -> None:
    """Whatever changes sums or limits."""
    data = next(iter(played.records.values())) if kind == "record" else {"before": played.clock.now(), "protocol": ""}
    async with opening() as pilot:
        await shown(pilot)
        later = replace(told_spending.report(), today_usd=2.22, limits=())
        played.answers["GET spending"] = later
        played.say(kind, data)
        await until(pilot, lambda: "$2.22 no limit" in words(pilot.app))


async def test_another_day_is_asked_for(asked: list[dict[str, str]], opening: Opening) -> None:
    """Though nothing happens: yesterday's sums are not today's."""
    async with opening() as pilot:
        await shown(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, Money)
        before = len(asked)
        screen._spending._turn()
        await pilot.pause()
        assert len(asked) == before
        now = screen.link.now() + timedelta(days=1)
        screen.link.now = lambda: now
        screen._spending._turn()
        await until(pilot, lambda: len(asked) > before)


async def test_a_limit_is_changed(played: PlayedDaemon, asked: list[dict[str, str]], opening: Opening) -> None:
    """What stands is in the form; what can't be is told there, here or by the daemon; the bars follow."""
    sent: list[dict[str, Any]] = []

    def limited(body: dict[str, Any]) -> Any:
        sent.append(body)
        limits = (replace(told_spending.LIMITS[1], limit_usd=body["day_usd"]),)
        played.answers["GET spending"] = told_spending.report(limits=limits)
        return told_spending.report(limits=limits)

    played.answers["PUT spending"] = limited
    async with opening() as pilot:
        await shown(pilot)
        await at(pilot, "of work")
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        assert "What may be spent at work?" in words(pilot.app)
        assert [each.value for each in pilot.app.screen.query(Input)] == ["2", "", ""]
        await pilot.press(*"lots", "enter")
        await until(pilot, lambda: "USD is an amount from 0 on" in words(pilot.app))
        assert sent == []
        played.refusals["PUT spending"] = "settings.toml can't be written"
        await pilot.press("down", *["backspace"] * 4, *"20", "up", *["backspace"] * 2, *"4", "enter")
        await until(pilot, lambda: "can't be written" in words(pilot.app))
        del played.refusals["PUT spending"]
        await pilot.press("enter")
        await until(pilot, lambda: len(sent) == 1)

        assert sent == [{"scope": "provider", "name": "work", "day_usd": 4.0, "month_usd": 20.0, "warn_at": None}]
        await until(pilot, lambda: "of $4.00 a day" in words(pilot.app))
        told = "To spend at work: $4.00 a day, $20.00 a month"
        await until(pilot, lambda: told in [each.message for each in pilot.app._notifications])


async def test_whose_limit_it_is(asked: list[dict[str, str]], opening: Opening) -> None:
    """The row's, a model's provider's, else all clouds'; nothing limits this machine, nor nobody."""
    async with opening() as pilot:
        await shown(pilot)
        for row, title in ((None, "in all clouds"), ("of flat", "at flat")):
            if row:
                await at(pilot, row)
            await pilot.press("l")
            await until(pilot, lambda title=title: f"What may be spent {title}?" in words(pilot.app))  # type: ignore[misc]
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, Money))
        await pilot.press("L")
        await until(pilot, lambda: "What may be spent in all clouds?" in words(pilot.app))
        await pilot.press("escape", "end", "l")
        await until(pilot, lambda: any("costs nothing" in each.message for each in pilot.app._notifications))
        await pilot.press("b")
        await until(pilot, lambda: "work/m" in rows(pilot))
        await at(pilot, "of work/m")
        await pilot.press("l")
        await until(pilot, lambda: "What may be spent at work?" in words(pilot.app))
        await pilot.press("escape", "b")
        await until(pilot, lambda: "(none)" in rows(pilot))
        await pilot.press("end", "l")
        await until(pilot, lambda: len(pilot.app._notifications) == 2)


async def test_before_anybody_was_asked(played: PlayedDaemon, opening: Opening) -> None:
    """Nothing is claimed, and how a limit is set stands there."""
    told_spending.nothing(played)
    async with opening() as pilot:
        await pilot.press("$")
        await until(pilot, lambda: "nothing was asked" in words(pilot.app))
        said = words(pilot.app)
        assert said.count("no limit; L sets one") == 2
        assert "nothing was answered on this machine" in said
        assert rows(pilot) == ["all"]


async def test_without_a_daemon_nothing_is_asked(played: PlayedDaemon, opening: Opening) -> None:
    """The screen says that it waits; a refusal is shown in the daemon's words."""
    played.refusals["GET spending"] = "the records can't be read"
    async with opening() as pilot:
        await pilot.press("$")
        await until(pilot, lambda: any("can't be read" in each.message for each in pilot.app._notifications))
        assert "asking what was spent" in words(pilot.app)


async def test_no_daemon_at_all(opening: Opening) -> None:
    """What to run stands in front of it."""
    async with opening() as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, Away))
        await pilot.press("$")
        assert isinstance(pilot.app.screen, Away)


@pytest.mark.parametrize("size", [(40, 12), (60, 16), (240, 70)])
async def test_other_sizes(size: tuple[int, int], asked: list[dict[str, str]], opening: Opening) -> None:
    """Tiny ones show the money and no line twice as high; wide ones all columns."""
    async with opening(size=size) as pilot:
        await shown(pilot)
        lines = words(pilot.app).splitlines()
        assert any(line.lstrip().startswith("today") and "$1.90" in line for line in lines)
        assert any("this month" in line and "$31.40" in line for line in lines)
        assert ("Saved" in words(pilot.app)) is (size[0] == 240)
        assert pilot.app.screen.query_one("#limits").size.height <= (10 if size[1] > 30 else 5)

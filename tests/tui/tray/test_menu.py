"""The menu, and the line about this day."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
import pytest

from daemon import wire
from tests.fakes import told_spending
from tests.fakes.summed_records import summed
from tests.fakes.told_records import START, a_day, asked_away, draft, record
from tui.tray.day import Day
from tui.tray.menu import Act, Item, menu
from tui.tray.standing import Standing

TODAY = date(2026, 1, 2)


@pytest.fixture
def standing() -> Standing:
    """With a daemon that has two models."""
    made = Standing(lambda: TODAY)
    models = (
        wire.Model("local/small", "e", "ready", True, device="CPU"),
        wire.Model("local/large", "e", "cold", False),
        wire.Model("local/late", "e", "loading", False, fraction=0.4),
    )
    status = wire.Status("0.1.0", 1, 6327, START, 1.0, models, (), 0, 0, 0)
    made.take([wire.Event(1, START, "state", msgspec.to_builtins(status))])
    return made


def found(items: tuple[Item, ...], words: str) -> Item:
    """The line that begins so."""
    (item,) = [item for item in items if item.words.startswith(words)]
    return item


def test_all_that_is_in_it(standing: Standing) -> None:
    """In its order, with one default."""
    items = menu(standing, at_login=False)

    assert [item.words for item in items] == [
        "Local-only: nothing leaves",
        "Models",
        "Today: nothing was asked yet",
        "",
        "Open the dashboard",
        "Show the log",
        "Start at login",
        "",
        "Quit this icon",
    ]
    assert [item.words for item in items if item.default] == ["Open the dashboard"]
    assert not found(items, "Today").live


def test_switches_show_how_they_stand_and_turn(standing: Standing) -> None:
    """What is on is ticked, and a click turns it off."""
    items = menu(standing, at_login=False)
    assert (found(items, "Local-only").on, found(items, "Local-only").act) == (False, Act.LOCAL_ONLY)
    assert (found(items, "Start at").on, found(items, "Start at").act) == (False, Act.START_AT_LOGIN)

    standing.local_only = True
    items = menu(standing, at_login=True)
    assert (found(items, "Local-only").on, found(items, "Local-only").act) == (True, Act.ANYWHERE)
    assert (found(items, "Start at").on, found(items, "Start at").act) == (True, Act.NOT_AT_LOGIN)


def test_models_are_loaded_and_unloaded(standing: Standing) -> None:
    """By their bare names, as the control API wants them; what is being loaded can be stopped."""
    models = found(menu(standing, at_login=False), "Models").items

    assert [(model.words, model.act, model.on, model.about) for model in models] == [
        ("local/large (cold)", Act.LOAD, False, "large"),
        ("local/late (loading 40%)", Act.UNLOAD, True, "late"),
        ("local/small (ready on CPU)", Act.UNLOAD, True, "small"),
    ]


def test_what_waits_stands_first(standing: Standing) -> None:
    """Where the eye looks."""
    standing.waiting = {"a", "b"}

    assert menu(standing, at_login=False)[0] == Item("2 wait for your word…", Act.DASHBOARD)


def test_without_a_daemon_it_can_be_started(standing: Standing) -> None:
    """And nothing is offered that would need one."""
    standing.lost("Nearloop is not running")
    items = menu(standing, at_login=False)

    assert found(items, "Start it").act is Act.START
    assert {item.act for item in items}.isdisjoint({Act.DASHBOARD, Act.LOCAL_ONLY, Act.LOAD})


def test_the_day_in_a_line() -> None:
    """The share that was answered here, each request once; and money, as soon as the daemon has told of it."""
    day = Day(lambda: TODAY)
    for each in (*a_day(), *a_day()):
        day.add(each)
    assert day.line() == "Today: 50 % of 10 answered here"

    day.tell(summed(a_day(), TODAY))
    assert day.line() == "Today: $0.0094 + 1 call of unknown price · 50 % of 10 answered here"
    day.tell(told_spending.report())
    assert day.line() == (
        "Today: $1.90 of $5.00 + 1 call of unknown price + 7 calls by plan · 50 % of 10 answered here"
    )


def test_money_without_an_answer_is_told() -> None:
    """A call that failed may have cost; where nobody was asked, nothing is said of money."""
    day = Day(lambda: TODAY)
    nothing = wire.SpendingReport("provider", TODAY.isoformat(), wire.Sums(""), (), (), 0.0, 0.0)
    day.tell(nothing)
    assert day.line() == "Today: nothing was asked yet"
    day.tell(msgspec.structs.replace(nothing, today_usd=0.25))
    assert day.line() == "Today: $0.25"


def test_limits_that_are_near_stand_in_the_menu(standing: Standing) -> None:
    """Each in a line below the day's, of whomever; others don't, and nobody's name steers the desktop."""
    odd = msgspec.structs.replace(
        told_spending.LIMITS[2], scope="client", name="a\x1b[2J", reached=False, spent_usd=1.2
    )
    whole = msgspec.structs.replace(told_spending.LIMITS[0], period="month", reached=True, near=True)
    standing.day.tell(told_spending.report(limits=(*told_spending.LIMITS, odd, whole)))
    words = [item.words for item in menu(standing, at_login=False)]

    at = words.index("Today: $1.90 of $5.00 + 1 call of unknown price + 7 calls by plan")
    assert words[at + 1 : at + 6] == [
        "95 % spent: $2.00 a day at work",
        "Reached: $1.50 a month for medical",
        "80 % spent: $1.50 a month by a\\x1b[2J",
        "Reached: $5.00 a month in all clouds",
        "",
    ]


@pytest.mark.parametrize("days", [-1, 1])
def test_other_days_dont_count(days: int) -> None:
    """Nor do their sums stay when the day is over."""
    today = TODAY
    day = Day(lambda: today)
    day.add(record(1, draft(), at=START + timedelta(days=days)))
    assert day.line() == "Today: nothing was asked yet"
    day.tell(summed((), TODAY + timedelta(days=days)))
    day.add(record(2, asked_away()))
    assert day.line() == "Today: 0 % of 1 answered here"
    day.tell(told_spending.report())
    assert "$1.90" in day.line() and "of 1 answered here" in day.line()
    today = TODAY + timedelta(days=1)
    assert day.limits() == ()
    assert day.line() == "Today: nothing was asked yet"


def test_more_than_could_be_read_is_said() -> None:
    """The count is the least that it can be."""
    day = Day(lambda: TODAY)
    day.floor = True
    day.add(record(1, asked_away()))

    assert day.line() == "Today: 0 % of ≥ 1 answered here"

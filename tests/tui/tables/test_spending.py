"""Limits of what may be spent: as bars, in words, and typed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon import wire
from tests.fakes.told_spending import LIMITS, report
from tui.tables.spending import Whose, bar, bars, limit_of, may, of, share, tone, written

ALL, WORK, MEDICAL = LIMITS


def told(lines: list[object]) -> list[str]:
    return [str(line) for line in lines]


def test_a_bar_says_how_it_stands() -> None:
    """What is spent, of what, when the user is told, and until when."""
    assert str(bar("today", ALL, 60)) == "today            $1.90 ━━━────┃─ of $5.00, 38 %, until 00:00"
    assert str(bar("work", WORK, 60, " a day")).endswith(" of $2.00 a day, 95 %, near, until 00:00")
    assert "reached: this machine answers, until 01 Feb" in str(bar("medical", MEDICAL, 100))
    assert [tone(each) for each in LIMITS] == ["good", "warn", "bad"]


def test_a_limit_of_nothing_is_whole() -> None:
    """It is reached before anything is spent, and more than a limit fills no more than its bar."""
    nothing = replace(ALL, limit_usd=0.0, spent_usd=0.0, near=True, reached=True)
    assert share(nothing) == 1.0
    over = str(bar("today", replace(ALL, spent_usd=500.0), 60))
    assert "999 %" in over and len(over) == 60


def test_all_clouds_stand_first_then_the_nearest() -> None:
    """With a limit or without; of others as many as there is room for, and how many more there are."""
    lines = told(list(bars(report(), 80, 8)))
    assert [line.split()[0] for line in lines] == ["today", "this", "medical", "work"]
    assert "$31.40 no limit" in lines[1]
    lines = told(list(bars(report(), 80, 1)))
    assert lines[2].startswith("medical")
    assert lines[3] == "and 1 more limit: `nearloop limit` shows all"


@pytest.mark.parametrize("width", [8, 20, 40])
def test_no_room_is_no_error(width: int) -> None:
    """Its bar has eight cells at least; the rest is cut by the terminal."""
    assert all("━" in str(line) or "no limit" in str(line) for line in bars(report(), width, 8))


def test_what_is_typed_becomes_a_limit() -> None:
    """Amounts with or without a dollar, a share in percent, and nothing as no limit."""
    whose = Whose("provider", "work")
    assert limit_of(whose, {"day": "$2.50", "month": "0", "warn_at": "50 %"}) == wire.NewLimit(
        "provider", "work", 2.5, 0.0, 0.5
    )
    assert limit_of(Whose(), {}) == wire.NewLimit("all")
    assert limit_of(Whose(), {"month": "1,5"}) == wire.NewLimit("all", "", None, 1.5)


@pytest.mark.parametrize(
    "typed",
    [{"day": "-1"}, {"day": "five"}, {"month": "nan"}, {"month": "inf"}, {"day": "2000000"}, {"warn_at": "0"}, {"warn_at": "101"}],
)  # fmt: skip
def test_what_is_no_limit_is_told(typed: dict[str, str]) -> None:
    """In words, before the daemon is asked."""
    assert isinstance(limit_of(Whose(), typed), str)


def test_what_stands_is_typed_already() -> None:
    """A share only where it isn't the usual one; typed again it is the same limit."""
    assert written(of(report(), Whose())) == {"day": "5"}
    typed = written(of(report(), Whose("project", "medical")))
    assert typed == {"month": "1.5", "warn_at": "50"}
    assert limit_of(Whose("project", "medical"), typed) == wire.NewLimit("project", "medical", None, 1.5, 0.5)
    assert written([]) == {}


def test_whose_and_how_much_in_words() -> None:
    """For the notice."""
    assert may(wire.NewLimit("all", "", 5.0, 50.0)) == "$5.00 a day, $50.00 a month"
    assert may(wire.NewLimit("all")) == "as much as is asked for"
    assert [Whose(*each).told for each in ((), ("provider", "w"), ("project", "w"), ("client", "w"))] == [
        "in all clouds", "at w", "for the project w", "by the client w",
    ]  # fmt: skip

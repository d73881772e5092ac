"""A request in the words of a table."""

from __future__ import annotations

from datetime import timedelta

from daemon import wire
from tests.fakes.told_records import START, a_day, asked_away, draft, escalated, record
from tui.picture import Running
from tui.requests import answered_by, cost, row, running_row, sureness


def words(cells: tuple[object, ...]) -> list[str]:
    return [cell.words for cell in cells]  # type: ignore[attr-defined]


def test_a_judge_is_not_who_answered() -> None:
    """What was asked to help doesn't stand as the answer's author."""
    asked = record(1, draft(), asked_away(role="judge"))

    assert answered_by(asked).words == "local/SmolLM2-135M-Instruct"


def test_a_failure_says_why() -> None:
    """Where nobody answered, the error's code stands in the place."""
    assert answered_by(record(1, outcome="refused", error="budget_spent", decision=None)).words == "budget_spent"


def test_the_draft_that_was_not_sure_is_shown_as_such() -> None:
    """An escalated request shows the confidence by which it was escalated."""
    shown = sureness(escalated(2))

    assert (shown.words, shown.tone) == ("▰▰▱▱▱ .41", "warn")
    assert sureness(record(1, draft(0.998))).words == "▰▰▰▰▰ 1.0"


def test_an_unknown_price_is_no_zero() -> None:
    """Calls whose price nobody knows are a question mark."""
    assert cost(record(1, asked_away(), ledger=wire.Ledger(1, 1, 1, 0.0, unpriced=1))).words == "?"
    assert cost(record(1, asked_away(), ledger=wire.Ledger(2, 1, 1, 0.5, unpriced=1))).words == "$0.50+?"


def test_rows_have_the_same_cells() -> None:
    """What runs and what has ended stand in one table."""
    running = Running("aa", START, "openai-chat", None, 2048, "work")
    shown = words(running_row(running, START + timedelta(seconds=3)))

    assert {len(row(each)) for each in a_day()} == {len(shown)}
    assert "↗ 2.0 kB" in shown
    assert "3.00 s" in shown

"""What all calls for one request may take together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.energy import EnergyMeter
from daemon.errors import BudgetSpent
from daemon.ledger import CHARS_PER_TOKEN, LEAST_TOKENS, Ledger
from daemon.money.price_book import FREE
from daemon.settings import Budget
from providers.contract import Usage
from providers.prices import Price
from tests.fakes.clock import HeldClock

DEAR = Price(10.0, 100.0)


def ledger(clock: HeldClock | None = None, meter: EnergyMeter | None = None, **limits: float) -> Ledger:
    return Ledger(Budget(**limits), (clock or HeldClock()).monotonic, meter)  # type: ignore[arg-type]


def test_calls_are_counted() -> None:
    """The third call of two is not made, and the limit is written down."""
    book = ledger(calls=2)
    for _ in range(2):
        book.enter(FREE, 0, None).close(Usage(1, 1))

    with pytest.raises(BudgetSpent, match="calls"):
        book.enter(FREE, 0, None)
    assert book.spent == ["calls"]


def test_one_call_is_left() -> None:
    """It is known before a call whether it is the last one."""
    book = ledger(calls=2)
    assert book.spare

    book.enter(FREE, 0, None)

    assert not book.spare


def test_calls_side_by_side_share_what_is_left() -> None:
    """What a running call may still take is not there for another one; what it did not take is."""
    book = ledger(tokens=100)
    first = book.enter(FREE, 10 * CHARS_PER_TOKEN, 50)
    second = book.enter(FREE, 10 * CHARS_PER_TOKEN, 50)
    assert (first.max_tokens, second.max_tokens) == (50, 30)

    with pytest.raises(BudgetSpent, match="tokens"):
        book.enter(FREE, 10 * CHARS_PER_TOKEN, 50)
    second.close(Usage(10, 5))
    assert book.enter(FREE, 0, None).max_tokens == 25


def test_money_limits_the_answer() -> None:
    """An answer may be as long as the money that is left pays for."""
    book = ledger(cost_usd=0.01)

    assert book.enter(DEAR, 100 * CHARS_PER_TOKEN, 4000).max_tokens == 90
    with pytest.raises(BudgetSpent, match="cost_usd"):
        book.enter(DEAR, 0, 4000)
    assert book.enter(FREE, 0, 4000).max_tokens == 4000


def test_an_unknown_price_is_no_price() -> None:
    """Under a limit of money, whose price nobody knows is not asked; without one it is counted."""
    with pytest.raises(BudgetSpent, match="cost_usd"):
        ledger(cost_usd=1.0).enter(None, 0, None)
    book = ledger()
    book.enter(None, 0, None)
    assert (book.unpriced, book.cost_usd) == (1, 0.0)


def test_time_runs_out() -> None:
    """Behind the limit no call is made."""
    clock = HeldClock()
    book = ledger(clock, wall_s=5.0)
    book.enter(FREE, 0, None)
    clock.advance(5.0)

    with pytest.raises(BudgetSpent, match="wall_s"):
        book.enter(FREE, 0, None)


def test_energy_runs_out(tmp_path: Path) -> None:
    """The machine's joules since the beginning count."""
    zone = tmp_path / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "energy_uj").write_text("3000000")
    (zone / "max_energy_range_uj").write_text("100000000")
    book = ledger(meter=EnergyMeter(tmp_path), joules=2.0)
    book.enter(FREE, 0, None)
    (zone / "energy_uj").write_text("5000000")

    with pytest.raises(BudgetSpent, match="joules"):
        book.enter(FREE, 0, None)
    assert book.joules == 2.0


def test_who_tells_no_usage_is_reckoned() -> None:
    """Characters that came count, three to a token."""
    book = ledger(tokens=1000)
    entry = book.enter(FREE, 30, None)
    for _ in range(10):
        entry.write(2)
    entry.close(Usage(0, 0))

    assert book.usage == Usage(10, 7)


def test_the_receipt_s_price_is_the_ledger_s() -> None:
    """Where a receipt tells what a call cost, with what a cache saved, that is what is counted."""
    book = ledger(cost_usd=1.0)
    book.enter(DEAR, 300, 100).close(Usage(100, 50, cached_tokens=90), 0.0042)

    assert book.cost_usd == 0.0042


@given(
    st.integers(20, 2000),
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 500), st.integers(0, 500), st.booleans()), max_size=30),
)
def test_the_limit_of_tokens_holds(limit: int, calls: list[tuple[int, int, int, bool]]) -> None:
    """Whatever is asked in whatever order, if answers keep their limits and prompts are as reckoned, the sum keeps it."""
    book = ledger(tokens=limit, calls=1000)
    running = []
    for prompt, wanted, written, ends in calls:
        try:
            entry = book.enter(FREE, prompt * CHARS_PER_TOKEN, wanted)
        except BudgetSpent:
            continue
        assert entry.max_tokens is not None
        assert min(wanted, LEAST_TOKENS) <= entry.max_tokens <= wanted
        running.append((entry, Usage(prompt, min(written, entry.max_tokens))))
        if ends:
            done, usage = running.pop(0)
            done.close(usage)
    for entry, usage in running:
        entry.close(usage)

    assert book.usage.prompt_tokens + book.usage.completion_tokens <= limit

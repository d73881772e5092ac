"""What a client may take a day."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.allowances import Allowance, Allowances, begin_of_day
from daemon.errors import DailyLimit
from daemon.ledger import CHARS_PER_TOKEN, LEAST_TOKENS, Ledger
from daemon.money.price_book import FREE
from daemon.protocols.errors import problem
from daemon.settings import Budget
from daemon.wire import PerDay, Taken
from providers.contract import Usage
from providers.prices import Price
from tests.fakes.clock import HeldClock

DEAR = Price(10.0, 100.0)


@pytest.fixture(autouse=True)
def at_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Midnight is this machine's: here, Greenwich's."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def of(clock: HeldClock, **limits: float) -> Allowance:
    found = Allowances({"zed": PerDay(**limits)}, clock).of("zed")  # type: ignore[arg-type]
    assert found
    return found


def ledger(clock: HeldClock, allowance: Allowance) -> Ledger:
    return Ledger(Budget(), clock.monotonic, None, allowance)


def test_a_request_too_many() -> None:
    """It is refused with who, how often, until when and what to do, by a status that clients wait for; the next day it isn't."""
    clock = HeldClock()  # 03:04:05
    allowance = of(clock, requests=2)
    allowance.arrive()
    allowance.arrive()

    with pytest.raises(DailyLimit) as refused:
        allowance.arrive()
    told = problem(refused.value)
    assert (told.status, told.code, told.retry_after_s) == (429, "daily_limit", 20 * 3600 + 55 * 60 + 55)
    assert "the client zed has asked 2 times today" in told.message
    assert "The next day begins at 2026-01-03 00:00" in told.message
    assert "nearloop client limit zed --requests" in told.message
    assert allowance.taken.requests == 2
    clock.advance(told.retry_after_s)
    allowance.arrive()
    assert allowance.taken.requests == 1


def test_tokens_of_calls_side_by_side() -> None:
    """Two requests share what is left: what a running call may still take isn't there for the other; what it left is."""
    clock = HeldClock()
    allowance = of(clock, tokens=100)
    one, other = ledger(clock, allowance), ledger(clock, allowance)

    first = one.enter(FREE, 10 * CHARS_PER_TOKEN, 50)
    second = other.enter(FREE, 10 * CHARS_PER_TOKEN, 50)
    assert (first.max_tokens, second.max_tokens) == (50, 30)
    with pytest.raises(DailyLimit, match="100 of the 100 tokens"):
        one.enter(FREE, 0, None)
    assert (one.spent, other.spent) == (["day_tokens"], [])
    second.close(Usage(10, 5))
    assert other.enter(FREE, 0, None).max_tokens == 25


def test_money() -> None:
    """An answer may be as long as what is left of the day pays for; who has no price is not asked, and who costs nothing is."""
    clock = HeldClock()
    allowance = of(clock, cost_usd=0.01)
    book = ledger(clock, allowance)
    entry = book.enter(DEAR, 100 * CHARS_PER_TOKEN, 4000)
    assert entry.max_tokens == 90
    entry.close(Usage(100, 80))

    with pytest.raises(DailyLimit, match=r"\$0.0090 of the \$0.0100"):
        book.enter(DEAR, 100 * CHARS_PER_TOKEN, None)
    with pytest.raises(DailyLimit, match="nobody knows its price"):
        book.enter(None, 0, None)
    assert book.enter(FREE, 10_000, None).max_tokens is None
    assert allowance.cost_left_usd == pytest.approx(0.001)


def test_what_is_given_up_is_not_kept() -> None:
    """A call that was entered and never began takes no more than its prompt when its request is over."""
    clock = HeldClock()
    allowance = of(clock, tokens=1000)
    book = ledger(clock, allowance)
    book.enter(FREE, 10 * CHARS_PER_TOKEN, 500)
    assert allowance.tokens_left == 490

    book.settle()

    assert allowance.tokens_left == 990


def test_what_records_say_goes_on() -> None:
    """A daemon that starts anew knows what was taken before; the next day it is over."""
    clock = HeldClock()
    allowances = Allowances({"zed": PerDay(3, 100)}, clock)
    allowances.recall({"zed": Taken(2, 90, 0.5, 1), None: Taken(7), "gone": Taken(1)})

    zed = allowances.of("zed")
    assert zed
    zed.arrive()
    with pytest.raises(DailyLimit):
        zed.arrive()
    assert zed.tokens_left == 10
    assert allowances.today("zed") == Taken(3, 90, 0.5, 1)
    assert (allowances.of("gone"), allowances.of(None), allowances.of("admin")) == (None, None, None)
    assert allowances.today("gone") == Taken(1)
    clock.advance(24 * 3600)
    assert allowances.today("zed") == Taken()


def test_limits_change_while_it_runs() -> None:
    """What was taken stays taken, of a client that came back under its name too; without limits nothing is refused."""
    clock = HeldClock()
    allowances = Allowances({"zed": PerDay()}, clock)
    zed = allowances.of("zed")
    assert zed
    for _ in range(5):
        zed.arrive()
    allowances.replace({"zed": PerDay(5)})
    with pytest.raises(DailyLimit):
        zed.arrive()
    allowances.replace({})
    assert allowances.of("zed") is None
    allowances.replace({"zed": PerDay(6)})
    again = allowances.of("zed")
    assert again
    again.arrive()
    with pytest.raises(DailyLimit):
        again.arrive()


def test_a_day_is_as_long_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clocks are turned it has 23 or 25 hours."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    noon = datetime(2026, 10, 25, 11, tzinfo=UTC)
    assert begin_of_day(noon) == datetime(2026, 10, 24, 22, tzinfo=UTC)
    assert begin_of_day(noon, 1) - begin_of_day(noon) == timedelta(hours=25)


@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.none() | st.integers(1, 200), st.integers(0, 100), st.booleans()), max_size=30
    )
)
def test_no_day_takes_more_than_its_limit(asked: list[tuple[int, int | None, int, bool]]) -> None:
    """However long prompts and answers are, and whichever are still running: as long as a model keeps to what it was told."""
    clock = HeldClock()
    allowance = of(clock, tokens=500)
    running = []
    for prompt_chars, wanted, share, ends in asked:
        try:
            entry = ledger(clock, allowance).enter(FREE, prompt_chars, wanted)
        except DailyLimit:
            assert allowance.tokens_left < LEAST_TOKENS + prompt_chars / CHARS_PER_TOKEN + 1
            continue
        assert entry.max_tokens is not None
        running.append((entry, entry.max_tokens * share // 100))
        if ends:
            last, wrote = running.pop()
            last.close(Usage(last.prompt_tokens, wrote))
        assert allowance.taken.tokens <= 500
    for entry, wrote in running:
        entry.close(Usage(entry.prompt_tokens, wrote))
    assert allowance.taken.tokens <= 500

"""What may be spent."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.errors import SpendingLimit
from daemon.ledger import CHARS_PER_TOKEN, MOST_TOKENS, USUAL_TOKENS, Entry, Ledger
from daemon.money.price_book import FREE, PLAN
from daemon.money.purses import Account, Purses, Standing, Whom
from daemon.protocols.errors import problem
from daemon.settings import Budget, Spending, Spent
from providers.contract import Usage
from providers.prices import NANO, Price, Tokens
from tests.fakes.clock import HeldClock

DEAR = Price(10.0, 100.0)
WORK = Whom("work", "big")


@pytest.fixture(autouse=True)
def at_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Midnight is this machine's: here, Greenwich's."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def ledger(clock: HeldClock, account: Account) -> Ledger:
    return Ledger(Budget(calls=1000), clock.monotonic, None, None, account)


def enter(purses: Purses, clock: HeldClock, whom: Whom = WORK, price: Price | None = DEAR, **more: str) -> Entry:
    """A call with a prompt of 100 tokens and at most 80 of answer."""
    account = purses.account(more.get("client"), more.get("project"))
    return ledger(clock, account).enter(price, 100 * CHARS_PER_TOKEN, 80, whom)


def test_beyond_a_limit_nobody_is_asked(clock: HeldClock) -> None:
    """The error says which limit, how much, until when, and what changes it, by a status that clients wait for."""
    purses = Purses(Spending(day_usd=0.01), clock)
    enter(purses, clock).close(Usage(100, 80))

    with pytest.raises(SpendingLimit) as refused:
        enter(purses, clock)
    told = problem(refused.value)
    assert (told.status, told.code, told.retry_after_s) == (429, "spending_limit", 20 * 3600 + 55 * 60 + 55)
    assert "$0.0090 of the $0.0100 that may be spent in all clouds a day" in told.message
    assert "2026-01-03 00:00" in told.message
    assert "`nearloop limit --day …`" in told.message
    assert refused.value.limit == "all_day_usd"
    clock.advance(told.retry_after_s or 0)
    enter(purses, clock)


@pytest.mark.parametrize(
    ("spending", "mine", "other"),
    [
        (Spending(providers={"work": Spent(0.01)}), {}, Whom("else", "big")),
        (Spending(projects={"p": Spent(0.01)}), {"project": "p"}, WORK),
        (Spending(clients={"zed": Spent(0.01)}), {"client": "zed"}, WORK),
        (Spending(providers={"work": Spent(None, 0.01)}), {}, Whom("else", "big")),
    ],
)
def test_limits_are_of_one_thing(clock: HeldClock, spending: Spending, mine: dict[str, str], other: Whom) -> None:
    """What is spent at one provider, for one project or by one client is limited there, and others are asked."""
    purses = Purses(spending, clock)
    enter(purses, clock, **mine).close(Usage(100, 80))

    with pytest.raises(SpendingLimit):
        enter(purses, clock, **mine)
    enter(purses, clock, other)


def test_a_month_goes_on_over_midnight(clock: HeldClock) -> None:
    """And ends with its last day."""
    purses = Purses(Spending(month_usd=0.01), clock)
    enter(purses, clock).close(Usage(100, 80))
    clock.advance(24 * 3600)
    with pytest.raises(SpendingLimit, match="a month are spent"):
        enter(purses, clock)
    clock.advance(30 * 24 * 3600)
    enter(purses, clock)


def test_a_clock_that_is_set_back_forgives_nothing(clock: HeldClock) -> None:
    """Nor does one that goes on again after that."""
    purses = Purses(Spending(day_usd=0.01), clock)
    enter(purses, clock).close(Usage(100, 80))
    for seconds in (-36 * 3600, 36 * 3600):
        clock.advance(seconds)
        with pytest.raises(SpendingLimit):
            enter(purses, clock)


def test_what_was_spent_before_goes_on(clock: HeldClock) -> None:
    """A daemon that starts knows it of each day; of limits that are near already nobody is told again."""
    told: list[Standing] = []
    purses = Purses(Spending(day_usd=0.02, month_usd=1.0), clock, told.append)
    purses.recall(date(2026, 1, 2), "work", "", "zed", 15_000_000)
    purses.recall(date(2026, 1, 1), "work", "", "", 500_000_000)
    purses.recalled()

    assert (purses.spent_nano("day"), purses.spent_nano("month")) == (15_000_000, 515_000_000)
    with pytest.raises(SpendingLimit):
        enter(purses, clock, price=Price(100.0, 1000.0))
    purses.account(None, None).look("work")
    assert told == []


def test_the_user_is_told_once(clock: HeldClock) -> None:
    """When a limit comes near, and when it is reached, once in each day."""
    told: list[Standing] = []
    purses = Purses(Spending(day_usd=0.01), clock, told.append)
    for _ in range(2):
        enter(purses, clock).close(Usage(100, 80))
        purses.account(None, None).look("work")
        purses.account(None, None).look("work")
        clock.advance(24 * 3600)
    assert [(each.near, each.reached) for each in told] == [(True, False)] * 2
    purses.replace(Spending(day_usd=0.001))
    assert purses.warnings() == ()
    enter(purses, clock, price=Price(1.0, 10.0)).close(Usage(1000, 0))
    purses.account(None, None).look("work")
    assert told[-1].reached
    assert [each.code for each in purses.warnings()] == ["spending-reached"]
    assert "models on this machine answer until 2026-01-05 00:00" in purses.warnings()[0].text


def test_prices_that_nobody_knows(clock: HeldClock) -> None:
    """Such a model is not asked under a limit, unless its row lets it; a plan's and one's own always are."""
    purses = Purses(Spending(day_usd=0.01), clock)
    with pytest.raises(SpendingLimit, match="nobody knows its price"):
        enter(purses, clock, price=None)
    assert enter(purses, clock, Whom("work", "big", unpriced=True), None).max_tokens == 80
    enter(purses, clock).close(Usage(1000, 0))
    for price in (FREE, PLAN):
        assert enter(purses, clock, price=price).max_tokens == 80
    with pytest.raises(SpendingLimit):
        enter(purses, clock, Whom("work", "big", unpriced=True), None)


def test_how_long_an_answer_may_be(clock: HeldClock) -> None:
    """Who says nothing of it has the most kept that a model writes; where that isn't left, as much as any takes is asked for."""
    purses = Purses(Spending(day_usd=20.0), clock)
    first = ledger(clock, purses.account(None, None)).enter(DEAR, 0, None, WORK)
    second = ledger(clock, purses.account(None, None)).enter(DEAR, 0, None, WORK)
    assert (first.max_tokens, first.cost_nano) == (None, MOST_TOKENS * 100_000)
    assert (second.max_tokens, second.cost_nano) == (USUAL_TOKENS, USUAL_TOKENS * 100_000)


def test_calls_that_are_over_are_let_go(clock: HeldClock) -> None:
    """Also where nothing is limited, so that nobody asks what was spent: a daemon that runs for months holds none of them."""
    purses = Purses(Spending(), clock)
    held = []
    for _ in range(3):
        entry = enter(purses, clock)
        entry.close(Usage(100, 80))
        held.append(weakref.ref(entry))
        del entry

    assert [each() is None for each in held] == [True, True, False]
    assert purses.spent_nano("day") == 3 * DEAR.cost_nano(Tokens(100, written=80))


def test_calls_are_told_when_they_begin(clock: HeldClock) -> None:
    """With what is kept for them: that is what a daemon finds that starts after this one was killed."""
    begun: list[tuple[int, str, int]] = []
    purses = Purses(Spending(), clock)
    account = purses.account(
        "zed", None, None, lambda number, whom, call: begun.append((number, whom.model, call.cost_nano))
    )
    book = ledger(clock, account)
    book.enter(FREE, 0, 10)
    book.enter(DEAR, 300, 80, WORK)
    assert begun == [(1, "big", 9_000_000)]


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(1, 200), st.integers(0, 100), st.booleans()), max_size=60))
def test_no_limit_is_passed(asked: list[tuple[int, int, int, bool]]) -> None:
    """Whichever calls run side by side and however much of what was kept for them they take."""
    clock = HeldClock()
    purses = Purses(Spending(day_usd=0.05, providers={"work": Spent(0.03)}), clock)
    running = []
    for number, (prompt, wanted, share, ends) in enumerate(asked):
        whom = WORK if number % 3 else Whom("else", "big")
        try:
            entry = ledger(clock, purses.account(None, None)).enter(DEAR, prompt * CHARS_PER_TOKEN, wanted, whom)
        except SpendingLimit:
            continue
        assert entry.max_tokens is not None
        running.append((entry, entry.max_tokens * share // 100))
        if ends:
            last, wrote = running.pop()
            last.close(Usage(last.prompt_tokens, wrote))
        assert purses.spent_nano("day") <= 0.05 * NANO
        assert all(each.spent_nano <= each.limit_nano for each in purses.standings)
    for entry, wrote in running:
        entry.close(Usage(entry.prompt_tokens, wrote))
    assert all(each.spent_nano <= each.limit_nano for each in purses.standings)

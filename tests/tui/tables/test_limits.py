"""Limits for a day: as they are typed, and as they stand."""

from __future__ import annotations

import pytest

from daemon.wire import ClientInfo, PerDay, Taken
from tui.tables.limits import limits_of, may, standing, told, written


@pytest.mark.parametrize(
    "per_day",
    [
        PerDay(),
        PerDay(300),
        PerDay(tokens=1_500_000),
        PerDay(1, 2, 0.25),
        PerDay(cost_usd=12.0),
        PerDay(cost_usd=123456.78),
    ],
)
def test_what_is_written_is_read_again(per_day: PerDay) -> None:
    """As it was."""
    assert limits_of(written(per_day)) == per_day


@pytest.mark.parametrize(
    "typed",
    [
        {"requests": "0"}, {"requests": "-3"}, {"requests": "1.5"}, {"tokens": "many"}, {"tokens": "²"},
        {"tokens": "9" * 16}, {"cost_usd": "0"}, {"cost_usd": "nan"}, {"cost_usd": "inf"}, {"cost_usd": "-1"},
        {"cost_usd": "1e300"},
    ],
)  # fmt: skip
def test_what_is_no_limit_is_told(typed: dict[str, str]) -> None:
    """In a sentence."""
    assert "above 0" in str(limits_of(typed))


def test_numbers_as_people_write_them() -> None:
    """With commas between thousands, a sign for money, or a decimal comma."""
    assert limits_of({"tokens": "200,000", "cost_usd": "$2,50"}) == PerDay(tokens=200_000, cost_usd=2.5)


def test_the_nearest_limit_stands_in_the_table() -> None:
    """With its tone: what is left is worth a look from 80 % on."""
    client = ClientInfo("zed", (), PerDay(10, 1000, 1.0), Taken(9, 500, 0.1))
    assert (standing(client).words, standing(client).tone) == ("9/10 requests +2", "warn")
    assert standing(ClientInfo("zed", ())).words == "–"


def test_a_limit_that_is_reached_is_told() -> None:
    """What it took of what, and until when it is refused; what has no limit says how to get one."""
    full = ClientInfo("zed", (), PerDay(tokens=1000), Taken(9, 1000, 0.1, 2))
    words = "\n".join(str(line) for line in told(full, 80))
    assert "9 requests, 1.0k tokens, $0.10 and 2 calls without a known price" in words
    assert "1.0k/1.0k tokens, 100 %" in words
    assert "refused until midnight" in words
    assert "l limits it" in "\n".join(str(line) for line in told(ClientInfo("zed", ()), 80))


def test_in_words() -> None:
    """For a notice."""
    assert may(PerDay(1, 500_000, 2.5)) == "1 request, 500k tokens, $2.50"
    assert may(PerDay()) == "as much as it likes"

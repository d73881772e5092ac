"""Sums over many requests."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from daemon import wire
from tests.fakes.told_records import START, a_day, asked_away, draft, escalated, kept_here, record
from tui.tally import Stretch, quantile, reason, stretches, tally


def test_a_day_in_numbers() -> None:
    """Each number is what its name says, counted by hand in tests/fakes/told_records.py."""
    sums = tally(a_day())

    assert (sums.requests, sums.answered, sums.local, sums.left) == (12, 10, 5, 5)
    assert (sums.masked, sums.kept) == (6, 1)
    assert sums.models == {"local/SmolLM2-135M-Instruct": 5, "work/big-model": 5}
    assert sums.clients == {"claude-code": 3, "aider": 3, "anyone": 3, "zed": 3}
    assert sums.reasons == {
        "a draft was not sure enough": 2,
        "the cloud was asked for": 1,
        "this machine's model failed": 1,
        "asked for by name": 1,
    }
    assert sums.here_per_s == pytest.approx(47 / 0.545)
    assert sums.beyond_per_s == pytest.approx(163 / 1.49)


def test_of_nothing_nothing_is_said() -> None:
    """Without requests there are no times, paces or energy, and no division by zero."""
    sums = tally(())

    assert sums.p50_ms is sums.p95_ms is sums.here_per_s is sums.joules is None
    assert not sums.reasons


def test_energy_that_is_not_told_is_not_zero() -> None:
    """A machine that doesn't tell leaves it open; one that tells for some, sums those."""
    silent = msgspec.structs.replace(record(1, draft()), ledger=wire.Ledger(1, 1, 1))

    assert tally([silent]).joules is None
    assert tally([silent, record(2, draft())]).joules == pytest.approx(12.4)


def test_why_it_went_beyond() -> None:
    """A recipe's own choice is named by its decision; what stayed has no reason."""
    route = wire.Route(recipe="work", decision="long_ones")
    chosen = record(1, asked_away(), decision=wire.Decision("recipe", "single", ("work/big-model",), route))

    assert reason(chosen) == "recipe: long_ones"
    assert reason(escalated(2)) == "a draft was not sure enough"
    assert reason(kept_here(3)) is None
    assert reason(record(4, outcome="refused", decision=None)) is None


def test_stretches_dont_move_what_was_drawn() -> None:
    """They begin at whole multiples: a second later the same requests are in the same stretch."""
    records = [record(number, draft()) for number in range(10)]
    each = timedelta(seconds=15)
    now = stretches(records, START + timedelta(seconds=70), each, 8)
    later = stretches(records, START + timedelta(seconds=71), each, 8)

    assert sum(part.requests for part in now) == 10
    assert now == later
    assert stretches(records, START + timedelta(seconds=70) + each, each, 8) == [*now[1:], Stretch()]


def test_what_is_older_is_left_out() -> None:
    """A stretch is never given what happened before it."""
    assert stretches([record(0, draft())], START + timedelta(hours=1), timedelta(seconds=1), 5) == [Stretch()] * 5


def test_quantiles() -> None:
    """Nearest rank, the highest at the end, none of none."""
    assert quantile([3, 1, 2], 0.5) == 2
    assert quantile([1, 2], 1.0) == 2
    assert quantile([], 0.5) is None

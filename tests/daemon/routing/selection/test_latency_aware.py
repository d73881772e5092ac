"""By measured speed."""

from __future__ import annotations

import pytest

from daemon.recipes.algorithms import Algorithm, LatencyAware
from daemon.routing.selection.latency_aware import latency_aware
from daemon.routing.speeds import Speed
from tests.fakes.selection import option, question


def test_the_mean_of_ratios() -> None:
    """To the best time of each measure; upstream's number, turned so that more is better."""
    options = (option("a", speed=Speed((100.0,), (10.0,))), option("b", speed=Speed((200.0,), (10.0,))))

    assert latency_aware(options, question("latency_aware")) == pytest.approx((1.0, 1 / 1.5))


def test_percentiles() -> None:
    """Only those that are named count."""
    options = (option("a", speed=Speed((1.0, 100.0), (10.0,))), option("b", speed=Speed((50.0, 50.0), (5.0,))))
    first = Algorithm(type="latency_aware", latency_aware=LatencyAware(ttft_percentile=0))
    rest = Algorithm(type="latency_aware", latency_aware=LatencyAware(tpot_percentile=50))

    assert latency_aware(options, question(first)) == pytest.approx((1.0, 0.02))
    assert latency_aware(options, question(rest)) == pytest.approx((0.5, 1.0))


def test_who_was_never_measured() -> None:
    """It is not compared; if nobody was, the recipe's order holds."""
    options = (option("a"), option("b", speed=Speed((200.0,), (10.0,))))

    assert latency_aware(options, question("latency_aware")) == (None, 1.0)
    assert latency_aware((option("a"), option("b")), question("latency_aware")) is None

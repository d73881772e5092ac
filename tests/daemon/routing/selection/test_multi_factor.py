"""By quality, speed, cost and load together."""

from __future__ import annotations

import pytest

from daemon.errors import NoCandidate
from daemon.recipes.algorithms import Algorithm, FactorWeights, MultiFactor, ServiceLevel
from daemon.recipes.model import ModelCard
from daemon.routing.live import Pricing
from daemon.routing.selection.multi_factor import multi_factor, quality
from daemon.routing.speeds import Speed
from tests.fakes.selection import option, question

GOOD = option("good", quality=0.9, pricing=Pricing(10.0, 10.0), speed=Speed((100.0,), (40.0,)))
CHEAP = option("cheap", quality=0.5, pricing=Pricing(0.0, 0.0), speed=Speed((100.0,), (10.0,)))


def weighed(**options: object) -> Algorithm:
    return Algorithm(type="multi_factor", multi_factor=MultiFactor(**options))  # type: ignore[arg-type]


def test_weights() -> None:
    """Each factor is scaled from its worst to its best, and weighed; without weights all count alike."""
    both = (GOOD, CHEAP)

    assert multi_factor(both, question("multi_factor")) == pytest.approx((0.375, 0.625))
    assert multi_factor(both, question(weighed(weights=FactorWeights(quality=1, latency=0, cost=0, load=0)))) == (1, 0)
    assert multi_factor(both, question(weighed(weights=FactorWeights(quality=0, latency=0, cost=0, load=0)))) == (0, 0)


def test_load_and_what_is_unknown() -> None:
    """Fewer requests are better; a number that nobody knows lies in the middle."""
    algorithm = weighed(weights=FactorWeights(quality=1, latency=0, cost=0, load=1))
    options = (option("a", busy=3, quality=0.9), option("b"), option("c", quality=0.1))

    assert multi_factor(options, question(algorithm)) == pytest.approx((0.5, 0.75, 0.5))


def test_limits() -> None:
    """Who is beyond one is out; what isn't known breaks none."""
    slow = question(weighed(slo=ServiceLevel(max_tpot_ms=20)))
    dear = question(weighed(slo=ServiceLevel(max_cost_per_1m=5)))
    idle = question(weighed(slo=ServiceLevel(max_inflight=1)))

    for limited in (slow, dear):
        scores = multi_factor((GOOD, CHEAP, option("new")), limited)
        assert scores
        assert [score is None for score in scores] == [True, False, False]
    busy = multi_factor((option("a", busy=2), option("b", busy=1)), idle)
    assert busy
    assert busy[0] is None


def test_nobody_within_the_limits() -> None:
    """The cheapest, the first, or nobody, as the recipe says."""
    limit = ServiceLevel(max_ttft_ms=1)

    assert multi_factor((GOOD, CHEAP), question(weighed(slo=limit))) == (0.0, 1.0)
    assert multi_factor((GOOD, CHEAP), question(weighed(slo=limit, on_no_candidates="first"))) is None
    with pytest.raises(NoCandidate):
        multi_factor((GOOD, CHEAP), question(weighed(slo=limit, on_no_candidates="fail")))


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        (None, None),
        (ModelCard(name="m"), None),
        (ModelCard(name="m", quality_score=0.4, param_size="70B"), 0.4),
        (ModelCard(name="m", param_size="7B"), 0.37),
        (ModelCard(name="m", param_size="140b"), 1.0),
        (ModelCard(name="m", param_size="350M"), 0.3035),
    ],
)
def test_quality(card: ModelCard | None, expected: float | None) -> None:
    """The card's own number, else by size, as upstream has it."""
    assert quality(card) == (None if expected is None else pytest.approx(expected))

"""What models alone, an oracle and chance bring."""

from __future__ import annotations

import pytest

from daemon.replaying.methods import alone as only
from daemon.replaying.results import alone, mean, oracle, run
from tests.fakes.replays import MODELS, PRICES, replayed


async def test_what_they_bring() -> None:
    """An answer is 9 characters here. The oracle asks the cheapest of those that are right, and of all if none is."""
    items = replayed(["rrr", "xrr", "xxr", "xxx"], times=4)
    token = 9 / 4

    assert alone(items, PRICES, "middle").qualities == [1.0, 1.0, 0.0, 0.0]
    assert alone(items, PRICES, "middle") == await run(only("middle"), items, PRICES)
    best = oracle(items, PRICES, MODELS)
    assert (best.quality, best.costs) == (0.75, [token, 2 * token, 100 * token, token])
    chance = mean([alone(items, PRICES, model) for model in MODELS])
    assert chance.qualities == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert chance.cost == pytest.approx(103 / 3 * token)

"""Gains and losses over the best single model."""

from __future__ import annotations

import pytest

from daemon.cli.bench_loopers import told
from daemon.replaying.comparing import compare
from daemon.replaying.recordings import Item, Recorded


def items(*patterns: str, times: int = 60) -> list[Item]:
    """Questions whose answers are right (`r`), wrong in one way (`w`) or each in its own (`x`), in turn by pattern."""
    made = []
    for number in range(times):
        pattern = patterns[number % len(patterns)]
        texts = {"r": f"#### {number}", "w": f"#### {number + 1000}"}
        answers = {
            f"m{place}": Recorded(texts.get(kind, f"#### {number}{place}.5"), kind == "r")
            for place, kind in enumerate(pattern)
        }
        made.append(Item(f"question {number}", answers))
    return made


async def test_three_that_err_apart() -> None:
    """Where each of three is wrong alone and in its own way, the vote is always right, and the gain is told with its interval."""
    found = await compare(items("rrx", "rxr", "xrr"))
    ratings = {each.name: each for each in found.outcomes}

    assert found.questions + found.chosen_on == 60
    assert found.oracle == 1.0
    for name in ("ratings", "ratings, weighted", "fusion", "remom", "workflows"):
        assert ratings[name].quality == 1.0
        assert ratings[name].lost == 0
        assert ratings[name].gained == round((1 - found.quality) * found.questions)
        assert ratings[name].regained == 1.0
        assert 0 < ratings[name].low < ratings[name].gain < ratings[name].high
    assert not any("did not help" in line for line in told(found))


async def test_two_that_err_together() -> None:
    """Where two weak ones say the same wrong thing, votes lose what the best one knew, and that is told."""
    found = await compare(items("rww", "rww", "rrw", "xrr"))
    ratings = found.outcomes[0]

    assert found.single == "m0"
    assert ratings.lost > ratings.gained
    assert ratings.gain < 0
    assert any("did not help" in line for line in told(found))


async def test_the_same_seed_tells_the_same() -> None:
    """Figures can be repeated."""
    made = items("rrx", "rww", "xrx")

    assert await compare(made, 3) == await compare(made, 3)


@pytest.mark.parametrize("pattern", ["rr", "xx"])
async def test_nothing_to_gain(pattern: str) -> None:
    """If all are right, or all wrong, an oracle gains nothing, and no share of it is told."""
    found = await compare(items(pattern))

    assert {each.regained for each in found.outcomes} == {None}
    assert {each.gain for each in found.outcomes} == {0.0}

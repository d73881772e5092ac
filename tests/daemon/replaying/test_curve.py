"""Curves of cost and quality."""

from __future__ import annotations

import pytest

from daemon.replaying.cascading import cascades
from daemon.replaying.curve import Curve, Curves, measure, split
from daemon.replaying.methods import Method, alone
from daemon.replaying.recordings import Item
from daemon.replaying.selecting import by_hardness, length
from tests.fakes.replays import EASY, HARD, MODELS, PRICES, replayed


async def cascaded(items: list[Item]) -> tuple[Curves, Curve]:
    """By agreement."""
    parted = split(items, PRICES)
    found = await measure(parted, PRICES, cascades(parted.chosen_on, parted.models)[:1])
    return found, found.curves[0]


async def selected(items: list[Item]) -> tuple[Curves, Curve]:
    """By length."""
    parted = split(items, PRICES)
    method = by_hardness("by length", parted.chosen_on, {("small", "large"): length})
    assert method
    found = await measure(parted, PRICES, [method])
    return found, found.curves[0]


async def test_what_everything_is_held_against() -> None:
    """The best single model, the oracle (the cheapest that is right), one at random, and costs by the best single one's."""
    found, _ = await cascaded(replayed(["rxx", "xxr", "xxr", "xxr"], times=200))
    share = found.oracle.quality.value - found.models[2].quality.value  # of what `small` alone knows

    assert found.questions + found.chosen_on == 200
    assert (found.single, found.oracle.quality.value) == ("large", 1.0)
    assert [model.name for model in found.models] == list(MODELS)
    assert [model.cost for model in found.models] == pytest.approx([0.01, 0.02, 1.0])
    assert found.oracle.cost == pytest.approx(1 - share + 0.01 * share)
    assert found.random.quality.value == pytest.approx(1 / 3)
    assert found.random.cost == pytest.approx(1.03 / 3)


async def test_a_cascade_that_helps() -> None:
    """Where two cheap ones agree only if they are right, and know what the large one doesn't, all is won, for less."""
    _, curve = await cascaded(replayed(["rrx", "rrr", "xxr", "xxr"], times=200))

    assert curve.best.point.name == "small > middle > large, kept: one agrees"
    assert curve.best.point.quality.value == 1.0
    assert curve.best.eta is not None
    assert (curve.best.eta.value, curve.best.eta.low) == (1.0, 1.0)
    assert curve.best.lost == 0 < curve.best.gained
    assert curve.best.gain.low > 0
    assert curve.best.cost.high < 0.7
    assert curve.over_mixing is not None
    assert curve.over_mixing.low > 0.2


async def test_a_cascade_that_harms() -> None:
    """Where cheap ones agree on what is wrong, the best setting is the best single model, and nothing is won or lost."""
    found, curve = await cascaded(replayed(["wwr", "xwr", "rrr"], times=200))

    for best in (curve.best, curve.as_good):
        assert best.point.name == found.single == "large"
        assert (best.gain.value, best.gained, best.lost) == (0.0, 0, 0)
        assert best.cost.value == 1.0
    assert curve.best.eta is None  # the large one is always right


async def test_losses_are_told() -> None:
    """A setting that is chosen as better and is worse on the tested half shows what it loses."""
    items = replayed(["rrx", "xxr", "xxr"], times=200)
    parted = split(items, PRICES)
    wrong = {item.question: other for item, other in zip(items, replayed(["wwr"], times=200), strict=True)}
    parted = split([wrong[item.question] if item in parted.tested else item for item in items], PRICES)
    found = await measure(parted, PRICES, cascades(parted.chosen_on, parted.models)[:1])
    best = found.curves[0].as_good

    assert best.point.name == "small > middle > large, kept: one agrees"
    assert (best.gained, best.lost) == (0, found.questions)
    assert best.gain.value == -1.0


async def test_a_selector_that_can_tell() -> None:
    """If long questions are the hard ones, the easy half is answered as well by the small one, for half the money."""
    _, curve = await selected(replayed(["rrr"], 100, EASY) + replayed(["xxr"], 100, HARD))

    assert curve.as_good.point.quality.value == 1.0
    assert curve.as_good.cost.high < 0.7
    assert curve.over_mixing is not None
    assert curve.over_mixing.low > 0


async def test_a_selector_that_cannot() -> None:
    """If length tells nothing, its curve isn't above that of mixed models."""
    _, curve = await selected(replayed(["rrr", "xxr"], 200, HARD))

    assert curve.over_mixing is None or curve.over_mixing.low <= 0


async def test_grades_count() -> None:
    """An answer that is half right is worth half."""
    graded = [
        Item(item.question, {name: type(said)(said.text, said.right, 0.5) for name, said in item.answers.items()})
        for item in replayed(["rrr"])
    ]
    found, curve = await cascaded(graded)

    assert found.oracle.quality.value == 0.5
    assert (curve.best.point.name, curve.best.point.quality.value) == ("small", 0.5)


async def test_one_model_for_all_is_no_curve() -> None:
    """It can't be above what mixing models brings."""
    parted = split(replayed(["rxr"]), PRICES)
    found = await measure(parted, PRICES, [Method("x", (alone("small"), alone("large")))])

    assert found.curves[0].over_mixing is None

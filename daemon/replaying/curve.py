"""Cost and quality of selectors and cascades on recorded answers, beside the best single model, an oracle and chance.

Theory of operation. The questions are split in two by their digests. On one half everything is chosen: the best single
model, each method's settings that lie on the line over all others (its curve), the best of them, and the cheapest that is
as good as the best single model. Every figure is of the other half, so that choosing among many settings flatters none.
Costs are told as shares of what the best single model costs there.

What a method has to beat is not a point but a line: whoever mixes two models by throwing dice gets any cost between theirs,
and the quality in proportion. `over_mixing` is how far the curve lies above the best such line, which is drawn with the
tested half's own figures: if it errs, then against the method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from daemon.replaying.comparing import halves
from daemon.replaying.corners import corners, thinned
from daemon.replaying.methods import Method
from daemon.replaying.prices import Price, call_cost
from daemon.replaying.recordings import Item
from daemon.replaying.resampling import Array, Draws, Span, span
from daemon.replaying.results import Results, alone, mean, oracle, run

POINTS: Final = 12
"""Of a curve, at most."""


class Point(Struct, frozen=True):
    """cost: of what the best single model costs. quality: the mean of [0, 1]."""

    name: str
    cost: float
    quality: Span


class Best(Struct, frozen=True):
    """A setting held against the best single model. gained, lost: questions that it answers better, and worse.

    gain: in quality. eta: (Q - Q_single) / (Q_oracle - Q_single), the share that is won of what an oracle would win; None:
    there is nothing to win.
    """

    point: Point
    cost: Span
    gained: int
    lost: int
    gain: Span
    eta: Span | None


class Curve(Struct, frozen=True):
    """One method's. best: the setting of the highest quality on the half that is chosen on; as_good: the cheapest one there
    that is no worse than the best single model. over_mixing: the curve's quality less that of mixed models of the same cost,
    on average over its points that aren't one model alone; None: there are none.
    """

    name: str
    points: tuple[Point, ...]
    best: Best
    as_good: Best
    over_mixing: Span | None


class Curves(Struct, frozen=True):
    """questions: in the tested half. oracle: the cheapest of the models that answer a question best. random: one of the
    models at random. worded: whether the answers' words are recorded, and counted in costs.
    """

    questions: int
    chosen_on: int
    worded: bool
    models: tuple[Point, ...]
    single: str
    oracle: Point
    random: Point
    curves: tuple[Curve, ...]


class Halves(Struct, frozen=True):
    """What is chosen on, and what is tested, with the models in the order of their cost in the first half.

    qualities: there. single: the best of them there, the cheaper one of equals.
    """

    chosen_on: list[Item]
    tested: list[Item]
    models: tuple[str, ...]
    qualities: dict[str, float]
    single: str


def split(items: Sequence[Item], prices: Mapping[str, Price]) -> Halves:
    """items: at least two, all with the same models."""
    chosen_on, tested = halves(items)
    costs = {model: sum(call_cost(prices, item, model) for item in chosen_on) for model in items[0].answers}
    models = tuple(sorted(costs, key=lambda model: (costs[model], model)))
    qualities = {model: sum(item.answers[model].quality for item in chosen_on) / len(chosen_on) for model in models}
    return Halves(chosen_on, tested, models, qualities, max(models, key=lambda model: qualities[model]))


async def measure(parted: Halves, prices: Mapping[str, Price], methods: Sequence[Method], seed: int = 0) -> Curves:
    """Each method's curve."""
    singles = {model: alone(parted.tested, prices, model) for model in parted.models}
    most = oracle(parted.tested, prices, parted.models)
    ruler = _Ruler(singles, parted.single, most, seed)
    return Curves(
        questions=len(parted.tested),
        chosen_on=len(parted.chosen_on),
        worded=all(said.worded for item in parted.tested for said in item.answers.values()),
        models=tuple(ruler.point(model, results) for model, results in singles.items()),
        single=parted.single,
        oracle=ruler.point("oracle", most),
        random=ruler.point("random", mean(list(singles.values()))),
        curves=tuple([await _curve(method, parted, prices, ruler) for method in methods]),
    )


async def _curve(method: Method, parted: Halves, prices: Mapping[str, Price], ruler: _Ruler) -> Curve:
    chosen = [(setting, await run(setting, parted.chosen_on, prices)) for setting in method.settings]
    curve = thinned(corners([(results.cost, results.quality) for _, results in chosen]), POINTS)
    best = max(range(len(chosen)), key=lambda place: (chosen[place][1].quality, -chosen[place][1].cost))
    enough = [
        place for place, (_, there) in enumerate(chosen) if there.quality >= parted.qualities[parted.single] - 1e-12
    ]
    as_good = min(enough, key=lambda place: chosen[place][1].cost)
    tested = {
        place: await run(chosen[place][0], parted.tested, prices) for place in dict.fromkeys((*curve, best, as_good))
    }
    mixes = [tested[place] for place in curve if method.settings[place].name not in parted.models]
    return Curve(
        name=method.name,
        points=tuple(ruler.point(method.settings[place].name, tested[place]) for place in curve),
        best=ruler.best(method.settings[best].name, tested[best]),
        as_good=ruler.best(method.settings[as_good].name, tested[as_good]),
        over_mixing=ruler.over_mixing(mixes) if mixes else None,
    )


class _Ruler:
    """What everything is held against on the tested half, drawn again and again."""

    def __init__(self, singles: Mapping[str, Results], single: str, most: Results, seed: int) -> None:
        self._singles = list(singles.values())
        self._single = singles[single]
        self._most = most
        self._means = Draws(len(most.costs), seed).means

    def point(self, name: str, results: Results) -> Point:
        (quality,) = self._means(results.qualities)
        return Point(name, results.cost / self._single.cost if self._single.cost else 0.0, _sure(span(quality)))

    def best(self, name: str, results: Results) -> Best:
        single, oracle = self._single, self._most
        quality, own, most, cost, price = self._means(
            results.qualities, single.qualities, oracle.qualities, results.costs, single.costs
        )
        differences = [ours - theirs for ours, theirs in zip(results.qualities, single.qualities, strict=True)]
        return Best(
            point=self.point(name, results),
            cost=_sure(span(_ratio(cost, price, 0.0))),
            gained=sum(each > 0 for each in differences),
            lost=sum(each < 0 for each in differences),
            gain=_sure(span(quality - own)),
            eta=span(_ratio(quality - own, most - own, np.nan)),
        )

    def over_mixing(self, mixes: Sequence[Results]) -> Span:
        figures = self._means(*_columns(self._singles), *_columns(mixes))
        split_at = 2 * len(self._singles)
        drawn = zip(np.stack(figures[:split_at]).T, np.stack(figures[split_at:]).T, strict=True)
        return _sure(span(np.array([_above(models, ours) for models, ours in drawn])))


def _columns(results: Sequence[Results]) -> Iterator[list[float]]:
    for each in results:
        yield each.costs
        yield each.qualities


def _above(models: Array, ours: Array) -> float:
    """models, ours: cost and quality of each, in turn."""
    singles, points = models.reshape(-1, 2), ours.reshape(-1, 2)
    line = singles[corners([(cost, quality) for cost, quality in singles.tolist()])]
    return float(np.mean(points[:, 1] - np.interp(points[:, 0], line[:, 0], line[:, 1])))


def _ratio(part: Array, whole: Array, nothing: float) -> Array:
    """nothing: where the whole is none."""
    return np.divide(part, whole, out=np.full_like(part, nothing), where=whole > 1e-12)


def _sure(found: Span | None) -> Span:
    assert found is not None  # a mean of at least one question
    return found

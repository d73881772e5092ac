"""What a setting brings, question by question: its own, and those of models alone, of an oracle and of chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from daemon.replaying.methods import Setting
from daemon.replaying.prices import Price, call_cost
from daemon.replaying.recordings import Item


class Results(Struct, frozen=True):
    """Of one setting, question by question."""

    qualities: list[float]
    costs: list[float]

    @property
    def quality(self) -> float:
        return sum(self.qualities) / len(self.qualities)

    @property
    def cost(self) -> float:
        return sum(self.costs) / len(self.costs)


async def run(setting: Setting, items: Sequence[Item], prices: Mapping[str, Price]) -> Results:
    """Of all that were asked each costs, and one answers."""
    qualities, costs = [], []
    for item in items:
        answered = await setting.answer(item)
        qualities.append(item.answers[answered.winner].quality)
        costs.append(sum(call_cost(prices, item, model) for model in answered.asked))
    return Results(qualities, costs)


def alone(items: Sequence[Item], prices: Mapping[str, Price], model: str) -> Results:
    """Of one model."""
    return Results([item.answers[model].quality for item in items], [call_cost(prices, item, model) for item in items])


def oracle(items: Sequence[Item], prices: Mapping[str, Price], models: Sequence[str]) -> Results:
    """Of the cheapest of those that answer best."""

    def rank(item: Item, model: str) -> tuple[float, float]:
        return -item.answers[model].quality, call_cost(prices, item, model)

    chosen = [min(models, key=lambda model: rank(item, model)) for item in items]
    return Results(
        [item.answers[model].quality for item, model in zip(items, chosen, strict=True)],
        [call_cost(prices, item, model) for item, model in zip(items, chosen, strict=True)],
    )


def mean(several: Sequence[Results]) -> Results:
    """One of them at random, as often as one likes."""
    return Results(
        [sum(each) / len(several) for each in zip(*(results.qualities for results in several), strict=True)],
        [sum(each) / len(several) for each in zip(*(results.costs for results in several), strict=True)],
    )

"""`multi_factor`: by quality, speed, cost and load together, among those within the limits."""

from __future__ import annotations

import re
from typing import Final

from daemon.confidence.features import quantile
from daemon.errors import NoCandidate
from daemon.recipes.algorithms import FactorWeights, MultiFactor, ServiceLevel
from daemon.recipes.model import ModelCard
from daemon.routing.live import Pricing
from daemon.routing.selection.base import Option, Question, Scores

WEIGHT: Final = 0.25
PERCENTILE: Final = 95.0
LARGE_B: Final = 70.0
"""Parameters, in thousand millions, from which size says no more about quality; upstream's."""
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([BM])", re.IGNORECASE)


def multi_factor(options: tuple[Option, ...], question: Question) -> Scores | None:
    """A weighted mean of four numbers in [0, 1], each 1 for the best and 0 for the worst; unknown ones lie between.

    Raises NoCandidate if all are beyond the limits and the recipe says `on_no_candidates: fail`.
    """
    wanted = question.algorithm.multi_factor or MultiFactor()
    share = (PERCENTILE if wanted.latency_percentile is None else wanted.latency_percentile) / 100
    within = [_within(each, wanted.slo or ServiceLevel(), share) for each in options]
    if not any(within):
        return _nobody(options, wanted)
    weights = wanted.weights or FactorWeights()
    factors: tuple[tuple[float, list[float | None], bool], ...] = (
        (_weight(weights.quality), [quality(each.card) for each in options], True),
        (_weight(weights.latency), [_latency(each, share) for each in options], False),
        (_weight(weights.cost), [cost(each.pricing) for each in options], False),
        (_weight(weights.load), [float(each.busy) for each in options], False),
    )
    total = sum(weight for weight, _, _ in factors) or 1.0
    scored = [
        [weight * value for value in _scaled(values, within, more_is_better)]
        for weight, values, more_is_better in factors
    ]
    return tuple(
        sum(factor[place] for factor in scored) / total if within[place] else None for place in range(len(options))
    )


def quality(card: ModelCard | None) -> float | None:
    """What the card says, else by size; upstream's measure."""
    if card is None:
        return None
    if card.quality_score is not None:
        return card.quality_score
    found = _SIZE.search(card.param_size or "")
    if found is None:
        return None
    billions = float(found[1]) * (1.0 if found[2].upper() == "B" else 0.001)
    return 0.3 + 0.7 * min(billions / LARGE_B, 1.0)


def cost(pricing: Pricing) -> float | None:
    """Of a prompt's and an answer's million tokens, half each."""
    known = [price for price in (pricing.prompt_per_1m, pricing.completion_per_1m) if price is not None]
    return sum(known) / len(known) if known else None


def _weight(said: float | None) -> float:
    return WEIGHT if said is None else said


def _latency(option: Option, share: float) -> float | None:
    times = option.speed.tpot_ms or option.speed.ttft_ms
    return quantile(times, share) if times else None


def _within(option: Option, limits: ServiceLevel, share: float) -> bool:
    """What isn't known breaks no limit."""
    price = cost(option.pricing)
    checks = (
        (limits.max_ttft_ms, quantile(option.speed.ttft_ms, share) if option.speed.ttft_ms else None),
        (limits.max_tpot_ms, quantile(option.speed.tpot_ms, share) if option.speed.tpot_ms else None),
        (limits.max_cost_per_1m, price),
        (limits.max_inflight, float(option.busy)),
    )
    return all(limit is None or value is None or value <= limit for limit, value in checks)


def _scaled(values: list[float | None], within: list[bool], more_is_better: bool) -> list[float]:
    known = [value for value, inside in zip(values, within, strict=True) if value is not None and inside]
    if not known or min(known) == max(known):
        return [0.5] * len(values)
    low, high = min(known), max(known)
    scaled = [0.5 if value is None else (value - low) / (high - low) for value in values]
    return scaled if more_is_better else [1 - value for value in scaled]


def _nobody(options: tuple[Option, ...], wanted: MultiFactor) -> Scores | None:
    if wanted.on_no_candidates == "fail":
        raise NoCandidate(
            "all of the recipe's candidates are beyond its limits now, and it wants to fail then: try later"
        )
    if wanted.on_no_candidates == "first":
        return None
    prices = [cost(each.pricing) for each in options]
    known = [price for price in prices if price is not None]
    if not known:
        return None
    return tuple(1.0 if price == min(known) else 0.0 for price in prices)

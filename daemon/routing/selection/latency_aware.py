"""`latency_aware`: by measured speed, each candidate's against the best one's."""

from __future__ import annotations

from typing import Final

from daemon.confidence.features import quantile
from daemon.recipes.algorithms import LatencyAware
from daemon.routing.selection.base import Option, Question, Scores

PERCENTILE: Final = 95.0
"""Of a candidate's answers, where the recipe names none."""


def latency_aware(options: tuple[Option, ...], question: Question) -> Scores | None:
    """1 for the fastest; half of it for one that takes twice as long. Who was never measured is not compared.

    Its measure is upstream's: the mean of the ratios to the best time, over the percentiles that are named.
    """
    wanted = question.algorithm.latency_aware or LatencyAware()
    ttft, tpot = wanted.ttft_percentile, wanted.tpot_percentile
    if ttft is None and tpot is None:
        ttft = tpot = PERCENTILE
    measures = [
        times
        for times in (
            [_at(each.speed.ttft_ms, ttft) for each in options],
            [_at(each.speed.tpot_ms, tpot) for each in options],
        )
        if any(time is not None for time in times)
    ]
    if not measures:
        return None
    scores = [_score(place, measures) for place in range(len(options))]
    return tuple(scores) if any(score is not None for score in scores) else None


def _at(times: tuple[float, ...], percentile: float | None) -> float | None:
    return quantile(times, percentile / 100) if times and percentile is not None else None


def _score(place: int, measures: list[list[float | None]]) -> float | None:
    ratios = []
    for times in measures:
        best = min(time for time in times if time is not None)
        time = times[place]
        if time is None:
            return None
        ratios.append(time / best if best > 0 else 1.0 if time == best else float("inf"))
    return len(ratios) / sum(ratios)

"""The numbers of one daemon's metrics since it started.

Counted by plain dictionaries, so that a request pays a few microseconds and a start nothing: the library that writes the
text takes 45 ms and 1.2 MB to import, and is imported when somebody first asks (exposition.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from daemon.metrics.base import Metric

MOST_SERIES: Final = 1000
"""Of one metric. Labels are of closed sets; this is for sets that turn out large, as a user's own 500 rules would."""
OTHER: Final = "other"


class Bins(Struct):
    """A histogram's series. counts: by bucket, not cumulative; the last one is beyond all bounds."""

    counts: list[int]
    sum: float = 0.0


class Reading(Struct, frozen=True):
    """All series of one metric at one moment. bins: of a histogram, cumulative counts and the sum."""

    metric: Metric
    values: tuple[tuple[tuple[str, ...], float], ...] = ()
    bins: tuple[tuple[tuple[str, ...], tuple[int, ...], float], ...] = ()


class Tally:
    """most: series of one metric; what would be one more is counted as `other`."""

    def __init__(self, metrics: Iterable[Metric], most: int = MOST_SERIES) -> None:
        self._most = most
        self._metrics = tuple(metrics)
        self._counters: dict[str, dict[tuple[str, ...], float]] = {}
        self._histograms: dict[str, dict[tuple[str, ...], Bins]] = {}
        for each in self._metrics:
            if each.kind == "counter":
                self._counters[each.name] = {} if each.labels else {(): 0.0}
            elif each.kind == "histogram":
                self._histograms[each.name] = {} if each.labels else {(): Bins([0] * (len(each.buckets) + 1))}

    def add(self, metric: Metric, *labels: str, by: float = 1.0) -> None:
        """To a counter."""
        series = self._counters[metric.name]
        if labels not in series:
            labels = self._admitted(metric, labels, len(series))
        series[labels] = series.get(labels, 0.0) + by

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Into a histogram."""
        series = self._histograms[metric.name]
        if labels not in series:
            labels = self._admitted(metric, labels, len(series))
        if (bins := series.get(labels)) is None:
            bins = series[labels] = Bins([0] * (len(metric.buckets) + 1))
        bins.counts[bisect_left(metric.buckets, value)] += 1
        bins.sum += value

    def readings(self) -> tuple[Reading, ...]:
        """A copy of counters and histograms, in the order of the metrics."""
        return tuple(self._reading(each) for each in self._metrics if each.kind != "gauge")

    def _reading(self, metric: Metric) -> Reading:
        if metric.kind == "counter":
            return Reading(metric, values=tuple(self._counters[metric.name].items()))
        series = self._histograms[metric.name].items()
        return Reading(metric, bins=tuple((labels, _cumulative(bins.counts), bins.sum) for labels, bins in series))

    def _admitted(self, metric: Metric, labels: tuple[str, ...], there: int) -> tuple[str, ...]:
        assert len(labels) == len(metric.labels), metric.name
        return labels if there < self._most else (OTHER,) * len(labels)


def _cumulative(counts: list[int]) -> tuple[int, ...]:
    total = 0
    return tuple(total := total + count for count in counts)

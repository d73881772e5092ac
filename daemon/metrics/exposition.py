"""Metrics as text, in Prometheus's format or OpenMetrics's: the one import of the library that writes both.

It is imported when somebody first asks. It brings collectors of its own for /proc, which are never asked: what is written
is what is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from daemon.metrics.tally import Reading

if TYPE_CHECKING:
    from prometheus_client import Metric

Format = Literal["text", "openmetrics"]
CONTENT_TYPES: Final[dict[Format, str]] = {
    "text": "text/plain; version=0.0.4; charset=utf-8",
    "openmetrics": "application/openmetrics-text; version=1.0.0; charset=utf-8",
}


def written(readings: Iterable[Reading], format: Format) -> bytes:
    """The text. Not on the event loop: the first call imports the library, which takes 45 ms."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import generate_latest
    from prometheus_client.openmetrics import exposition as openmetrics

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Given(tuple(readings)))
    if format == "text":
        return generate_latest(registry)
    text: bytes = openmetrics.generate_latest(registry, version="1.0.0")  # type: ignore[no-untyped-call]
    return text


class _Given:
    """A collector of what was read before."""

    def __init__(self, readings: tuple[Reading, ...]) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        """As the library asks."""
        return map(_family, self._readings)


def _family(reading: Reading) -> Metric:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    metric = reading.metric
    if metric.kind == "histogram":
        family = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        bounds = [*map(repr, metric.buckets), "+Inf"]
        for labels, counts, total in reading.bins:
            family.add_metric(labels, list(zip(bounds, counts, strict=True)), total)
        return family
    make = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    simple = make(metric.name, metric.help, labels=metric.labels)
    for labels, value in reading.values:
        simple.add_metric(labels, value)
    return simple

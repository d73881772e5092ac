"""The contract of a family of metrics: what it has, and how it is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct

from daemon.wire import Model, Receipt, Record

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""client_golang's `DefBuckets`, which upstream's histograms of seconds have."""
SHARES: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Upstream's for confidences."""


class Metric(Struct, frozen=True):
    """One metric. name: as it is shown; a counter's ends with `_total`. labels: names of them, in order. buckets: upper
    bounds of a histogram's. `llm_` begins names of upstream's (docs/metrics.md has the source), `nearloop_` our own.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


class Now(Struct, frozen=True):
    """What is there at a moment. busy: requests that were given to a model and are not ended, by `PROVIDER/MODEL`. painted,
    boxes: pictures that were painted over since the start, and areas in them. dropped: records that the disk did not take.
    """

    version: str
    started_at: datetime
    in_flight: int
    waiting: int
    local_only: bool
    models: tuple[Model, ...]
    busy: Mapping[str, int]
    dropped: int
    painted: int
    boxes: int


class Counts(Protocol):
    """Where a family counts."""

    def add(self, metric: Metric, *labels: str, by: float = 1.0) -> None:
        """To a counter."""
        ...

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Into a histogram."""
        ...


class Names(Protocol):
    """Names as labels: those of the settings and recipes, which are few, and no others, whatever clients ask for."""

    def model(self, name: str, record: Record | None = None) -> str:
        """`PROVIDER/MODEL`, `PROVIDER/other` or `other`. record: whose recipe may have named it."""
        ...

    def asked(self, name: str) -> str:
        """Of the model that a client asked for: also `auto` and its like."""
        ...


Sample: TypeAlias = tuple[Metric, tuple[str, ...], float]


class Family(Struct, frozen=True):
    """Metrics of one matter. of_record: called with each finished request's record. of_receipt: with each crossing's receipt
    when it is written, and again with its outcome when it is over. now: what is read when somebody asks, which may hold
    totals too. None: it hears nothing of the kind. All on the event loop, so none may wait; labels are codes and names of
    closed sets, never a client's words.
    """

    metrics: tuple[Metric, ...]
    of_record: Callable[[Record, Counts, Names], None] | None = None
    of_receipt: Callable[[Receipt, Counts, Names], None] | None = None
    now: Callable[[Now, Names], Iterable[Sample]] | None = None

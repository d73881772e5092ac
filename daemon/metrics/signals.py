"""What rules of signals saw, and those that could not look."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import Counts, Family, Metric, Names
from daemon.wire import Record

MATCHES: Final = Metric(
    "llm_signal_match_total",
    "counter",
    "Rules of signals that matched, once a request.",
    ("signal_type", "signal_name"),
)
FAILURES: Final = Metric(
    "nearloop_signal_failures_total",
    "counter",
    "Rules of signals that could not look, by why.",
    ("signal_type", "reason"),
)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    for kind, name in {(seen.signal, seen.name) for seen in record.seen if seen.matched}:
        counts.add(MATCHES, kind, name)
    for kind, error in {(seen.signal, seen.error) for seen in record.seen if seen.error is not None}:
        counts.add(FAILURES, kind, error)


FAMILY: Final = Family((MATCHES, FAILURES), of_record=_of_record)

"""Requests as a whole: who asked, how it ended, where it was answered, and what it took."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import Counts, Family, Metric, Names
from daemon.wire import Record

LONG: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Seconds: answers of small models on a CPU take minutes."""
NOBODY: Final = "anonymous"
REQUESTS: Final = Metric(
    "nearloop_requests_total",
    "counter",
    "Requests, by how they ended and what left for them.",
    ("protocol", "outcome", "egress"),
)
CLIENTS: Final = Metric(
    "nearloop_client_requests_total",
    "counter",
    "Requests by the label of their token, `anonymous` without one.",
    ("client", "outcome"),
)
ANSWERS: Final = Metric(
    "nearloop_answers_total",
    "counter",
    "Answered requests by where: `device`, `lan`, `cloud`, or `nobody` if a recipe's text was the answer.",
    ("place",),
)
DURATION: Final = Metric(
    "nearloop_request_duration_seconds", "histogram", "From a request to its end, by how it ended.", ("outcome",), LONG
)
WAITED: Final = Metric(
    "nearloop_queue_wait_seconds", "histogram", "How long requests waited for their turn with a local model.", (), LONG
)
JOULES: Final = Metric(
    "nearloop_energy_joules_total", "counter", "Energy of the whole machine during each request, where it tells."
)
SPENT: Final = Metric(
    "nearloop_limits_reached_total",
    "counter",
    "Limits of [budget] and of a client's day that kept something from being done.",
    ("limit",),
)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    counts.add(REQUESTS, record.protocol, record.outcome, record.egress)
    counts.add(CLIENTS, NOBODY if record.client is None else record.client, record.outcome)
    counts.observe(DURATION, record.took_ms / 1000, record.outcome)
    counts.observe(WAITED, record.waited_ms / 1000)
    if record.outcome == "answered":
        counts.add(ANSWERS, _place(record))
    if record.ledger.joules:
        counts.add(JOULES, by=record.ledger.joules)
    for limit in record.ledger.spent:
        counts.add(SPENT, limit)


def _place(record: Record) -> str:
    """Of the attempt whose words the client got."""
    if not record.attempts:
        return "nobody"
    return record.attempts[-1 if record.given is None else record.given].place or "device"


FAMILY: Final = Family((REQUESTS, CLIENTS, ANSWERS, DURATION, WAITED, JOULES, SPENT), of_record=_of_record)

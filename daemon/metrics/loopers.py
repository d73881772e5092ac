"""Loopers: what they asked, and how sure drafts of this machine's models were."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import SECONDS, Counts, Family, Metric, Names
from daemon.metrics.failures import REASONS, UNPLANNED
from daemon.wire import Attempt, Record

ATTEMPTS: Final = Metric(
    "llm_looper_attempts_total",
    "counter",
    "Calls by looper. stage: what for, `answer` for the answer itself; reason: of one that failed, else `none`.",
    ("algorithm", "stage", "status", "reason"),
)
DURATION: Final = Metric(
    "llm_looper_execution_duration_seconds",
    "histogram",
    "From a request to the end of its answer.",
    ("algorithm", "status"),
    SECONDS,
)
DRAFTS: Final = Metric(
    "nearloop_drafts_total",
    "counter",
    "Drafts that were judged: `passed`, or `escalated` to the next candidate.",
    ("model", "verdict"),
)
COLLAPSES: Final = Metric(
    "nearloop_collapses_total",
    "counter",
    "Streamed answers that turned out otherwise than they began.",
    ("model", "how"),
)


def _reason(attempt: Attempt) -> str:
    if attempt.outcome in ("answered", "cancelled"):
        return "none"
    return REASONS.get(attempt.error or "", UNPLANNED)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    if record.decision is None:
        return
    looper = record.decision.looper
    counts.observe(DURATION, record.took_ms / 1000, looper, record.outcome)
    for attempt in record.attempts:
        counts.add(ATTEMPTS, looper, attempt.role or "answer", attempt.outcome, _reason(attempt))
        if attempt.passed is not None:
            model = names.model(f"{attempt.provider}/{attempt.model}", record)
            counts.add(DRAFTS, model, "passed" if attempt.passed else "escalated")
        if attempt.collapse is not None:
            counts.add(COLLAPSES, names.model(f"{attempt.provider}/{attempt.model}", record), attempt.collapse)


FAMILY: Final = Family((ATTEMPTS, DURATION, DRAFTS, COLLAPSES), of_record=_of_record)

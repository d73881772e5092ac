"""What went wrong, by reason: upstream's words where it has them, else the codes that clients are told (docs/connect.md)."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import Counts, Family, Metric, Names
from daemon.protocols.errors import TABLE
from daemon.wire import Record

ERRORS: Final = Metric(
    "llm_request_errors_total",
    "counter",
    "Calls of models that failed, and requests that nobody answered.",
    ("model", "reason"),
)
CANCELLED: Final = "cancellation"
REASONS: Final = {
    **{kind.__name__: code for kind, (_, code) in TABLE.items()},
    "Private": "pii_policy_denied",
    "NotPainted": "pii_policy_denied",
    "NotCleared": "pii_policy_denied",
}
"""From an error's name, as records have it."""
UNPLANNED: Final = "internal_error"


def _reason(error: str | None) -> str:
    return REASONS.get(error or "", UNPLANNED)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    for attempt in record.attempts:
        if attempt.outcome != "answered":
            model = names.model(f"{attempt.provider}/{attempt.model}", record)
            counts.add(ERRORS, model, CANCELLED if attempt.outcome == "cancelled" else _reason(attempt.error))
    if not record.attempts and record.outcome != "answered":
        reason = CANCELLED if record.outcome == "cancelled" else _reason(record.error)
        counts.add(ERRORS, names.asked(record.model), reason)


FAMILY: Final = Family((ERRORS,), of_record=_of_record)

"""The boundary: which classes of private values were found, what was done about them, and what they kept from leaving."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import Counts, Family, Metric, Names
from daemon.wire import Receipt, Record

VIOLATIONS: Final = Metric(
    "llm_pii_violations_total",
    "counter",
    "Requests that a class of private values kept from a model, once for each model and class.",
    ("model", "pii_type"),
)
MASKED: Final = Metric(
    "llm_masking_entities_total",
    "counter",
    "Values that were masked or painted over in what left. decision: `RECIPE/DECISION`, or a rule of ours.",
    ("decision", "entity_type"),
)
FINDINGS: Final = Metric(
    "nearloop_findings_total",
    "counter",
    "Private values that were found, by class and what was done.",
    ("class", "treatment"),
)
HELD: Final = Metric(
    "nearloop_held_total", "counter", "Requests and calls that were held for the user's word.", ("outcome",)
)
KEPT_BACK: Final = Metric(
    "nearloop_kept_back_total",
    "counter",
    "Tool calls in which a secret's alias was left, since they could carry it out.",
)
REDUCED: Final = Metric(
    "nearloop_reductions_total",
    "counter",
    "Requests said with less, `done`, or why they could not be.",
    ("by", "outcome"),
)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    if record.clearance is not None:
        for finding in record.clearance.findings:
            counts.add(FINDINGS, finding.label, finding.treatment, by=finding.count)
        staying = {each.label for each in record.clearance.findings if each.treatment == "stay"}
        for name in record.decision.left_out if record.decision and staying else ():
            for label in staying:
                counts.add(VIOLATIONS, names.model(name, record), label)
    for asked in record.asked:
        counts.add(HELD, asked.outcome)
    if record.kept_back:
        counts.add(KEPT_BACK, by=record.kept_back)
    if record.reduction is not None:
        counts.add(REDUCED, record.reduction.by, record.reduction.why or "done")


def _of_receipt(receipt: Receipt, counts: Counts, names: Names) -> None:
    if receipt.outcome is None:  # as it leaves; it comes once more when it is over
        for label, count in receipt.masks.items():
            counts.add(MASKED, receipt.rule or "none", label, by=count)


FAMILY: Final = Family(
    (VIOLATIONS, MASKED, FINDINGS, HELD, KEPT_BACK, REDUCED), of_record=_of_record, of_receipt=_of_receipt
)

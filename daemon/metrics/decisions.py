"""What was decided: by which decision of a recipe or rule of ours, and for whom."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import SHARES, Counts, Family, Metric, Names
from daemon.wire import Record

REASONS: Final = Metric(
    "llm_routing_reason_codes_total",
    "counter",
    "Decisions by rule (docs/loopers.md), and who is asked first.",
    ("reason_code", "model"),
)
CHANGED: Final = Metric(
    "llm_model_routing_modifications_total",
    "counter",
    "Requests for one name that were answered by another model.",
    ("source_model", "target_model"),
)
MATCHES: Final = Metric("llm_decision_match_total", "counter", "Decisions of recipes.", ("decision_name",))
CONFIDENCE: Final = Metric(
    "llm_decision_confidence", "histogram", "Of recipes' decisions, where it was measured.", ("decision_name",), SHARES
)
PLUGINS: Final = Metric(
    "llm_plugin_execution_total",
    "counter",
    "Plugins of decisions that worked; status is always `success`.",
    ("plugin_type", "decision_name", "status"),
)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    decision = record.decision
    if decision is None:
        return
    first = names.model(decision.candidates[0], record) if decision.candidates else "none"
    counts.add(REASONS, decision.rule, first)
    asked = names.asked(record.model)
    if (given := record.given) is not None:
        answer = record.attempts[given]
        by = names.model(f"{answer.provider}/{answer.model}", record)
        if by != asked:
            counts.add(CHANGED, asked, by)
    if decision.route is not None and decision.route.decision is not None:
        name = decision.route.decision
        counts.add(MATCHES, name)
        if decision.route.confidence is not None:
            counts.observe(CONFIDENCE, decision.route.confidence, name)
        for plugin in decision.route.plugins:
            counts.add(PLUGINS, plugin, name, "success")


FAMILY: Final = Family((REASONS, CHANGED, MATCHES, CONFIDENCE, PLUGINS), of_record=_of_record)

"""What every family of metrics keeps to, and the page that tells of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from daemon.metrics.base import SECONDS, SHARES, Counts, Family, Metric
from daemon.metrics.registry import FAMILIES
from tests.fakes.counted import NAMES, NOW, begun_and_ended
from tests.fakes.told_records import a_day, with_pictures

ROOT: Final = Path(__file__).resolve().parents[2]
METRICS: Final = [metric for family in FAMILIES for metric in family.metrics]
UPSTREAM: Final[dict[str, tuple[str, tuple[str, ...], tuple[float, ...]]]] = {
    "llm_model_requests_total": ("counter", ("model",), ()),
    "llm_request_errors_total": ("counter", ("model", "reason"), ()),
    "llm_model_cost_total": ("counter", ("model", "currency"), ()),
    "llm_model_tokens_total": ("counter", ("model",), ()),
    "llm_model_prompt_tokens_total": ("counter", ("model",), ()),
    "llm_model_completion_tokens_total": ("counter", ("model",), ()),
    "llm_model_routing_modifications_total": ("counter", ("source_model", "target_model"), ()),
    "llm_routing_reason_codes_total": ("counter", ("reason_code", "model"), ()),
    "llm_model_completion_latency_seconds": ("histogram", ("model",), SECONDS),
    "llm_model_ttft_seconds": ("histogram", ("model",), SECONDS),
    "llm_model_tpot_seconds": ("histogram", ("model",), SECONDS),
    "llm_pii_violations_total": ("counter", ("model", "pii_type"), ()),
    # inflight_collector.go
    "llm_model_inflight_requests": ("gauge", ("model",), ()),
    # signal_decision_plugin_metrics.go
    "llm_signal_match_total": ("counter", ("signal_type", "signal_name"), ()),
    "llm_decision_match_total": ("counter", ("decision_name",), ()),
    "llm_decision_confidence": ("histogram", ("decision_name",), SHARES),
    "llm_plugin_execution_total": ("counter", ("plugin_type", "decision_name", "status"), ()),
    # looper_metrics.go
    "llm_looper_attempts_total": ("counter", ("algorithm", "stage", "status", "reason"), ()),
    "llm_looper_execution_duration_seconds": ("histogram", ("algorithm", "status"), SECONDS),
    # masking_metrics.go
    "llm_masking_entities_total": ("counter", ("decision", "entity_type"), ()),
}
"""Read in vllm-project/semantic-router, src/semantic-router/pkg/observability/metrics/: metrics.go (at 008903d7) where
nothing else is said. `prometheus.DefBuckets` are SECONDS.
"""


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_metric_is_well_named(metric: Metric) -> None:
    """By Prometheus's rules; `llm_` only where upstream has it, with its type, labels and buckets."""
    assert re.fullmatch(r"(llm|nearloop)_[a-z][a-z0-9_]*", metric.name)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", label) and label != "le" for label in metric.labels)
    assert (metric.kind == "counter") == metric.name.endswith("_total")
    assert (metric.kind == "histogram") == bool(metric.buckets) and list(metric.buckets) == sorted(set(metric.buckets))
    assert metric.help.endswith(".")
    if metric.name.startswith("llm_"):
        assert UPSTREAM[metric.name] == (metric.kind, metric.labels, metric.buckets)


def test_names_are_there_once() -> None:
    """And the table above holds none that is gone."""
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    assert UPSTREAM.keys() <= {metric.name for metric in METRICS}


class _Strict(Counts):
    """Takes only what a family has."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.used: set[str] = set()

    def add(self, metric: Metric, *labels: str, by: float = 1.0) -> None:
        self._take(metric, "counter", labels)
        assert by >= 0

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        self._take(metric, "histogram", labels)
        assert value >= 0

    def _take(self, metric: Metric, kind: str, labels: tuple[str, ...]) -> None:
        assert metric in self.family.metrics
        assert metric.kind == kind
        assert len(labels) == len(metric.labels)
        assert all(isinstance(label, str) and label for label in labels), (metric.name, labels)
        self.used.add(metric.name)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.metrics[0].name)
def test_a_family_counts_what_it_has(family: Family) -> None:
    """All of a day's records and receipts: only its own metrics, each with all of its labels, none of them empty."""
    counts = _Strict(family)
    for record in (*a_day(), with_pictures(20)):
        if family.of_record is not None:
            family.of_record(record, counts, NAMES)
        for receipt in begun_and_ended(record.receipts) if family.of_receipt is not None else ():
            family.of_receipt(receipt, counts, NAMES)
    for metric, labels, value in family.now(NOW, NAMES) if family.now is not None else ():
        assert metric in family.metrics
        assert metric.kind != "histogram"
        assert len(labels) == len(metric.labels)
        assert value >= 0
        counts.used.add(metric.name)

    assert counts.used


def row(metric: Metric) -> str:
    """Of the table."""
    labels = ", ".join(f"`{label}`" for label in metric.labels) or "–"
    return f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |"


def test_the_page_has_every_metric_as_it_is() -> None:
    """docs/metrics.md is the registry, line for line and in its order."""
    page = (ROOT / "docs" / "metrics.md").read_text()
    written = [line for line in page.splitlines() if re.match(r"\| `(llm|nearloop)_", line)]

    assert written == [row(metric) for metric in METRICS]

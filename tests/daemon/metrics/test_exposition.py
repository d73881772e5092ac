"""Metrics as text."""

from __future__ import annotations

import subprocess
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from daemon.metrics.base import Metric
from daemon.metrics.exposition import written
from daemon.metrics.tally import Reading

READINGS = (
    Reading(Metric("hits_total", "counter", 'Hits, "so" to \\ say.', ("who",)), ((('a"b\\c\nd',), 2.0),)),
    Reading(Metric("now", "gauge", "Now."), (((), 1.5),)),
    Reading(Metric("took_seconds", "histogram", "Took.", ("who",), (0.1, 1.0)), bins=((("me",), (1, 2, 5), 9.5),)),
    Reading(Metric("nothing_total", "counter", "Nothing yet.", ("who",))),
)


def test_both_formats_are_read_back() -> None:
    """By the library's own parsers: types, escaped labels, buckets and sums."""
    for format, read in (("text", read_text), ("openmetrics", read_openmetrics)):
        found = {family.name: family for family in read(written(READINGS, format).decode())}  # type: ignore[arg-type]

        assert {name: family.type for name, family in found.items()} == {
            "hits": "counter",
            "now": "gauge",
            "took_seconds": "histogram",
            "nothing": "counter",
        }
        assert [(s.labels, s.value) for s in found["hits"].samples] == [({"who": 'a"b\\c\nd'}, 2.0)]
        took = {(s.name, s.labels.get("le")): s.value for s in found["took_seconds"].samples}
        assert took == {
            ("took_seconds_bucket", "0.1"): 1.0,
            ("took_seconds_bucket", "1.0"): 2.0,
            ("took_seconds_bucket", "+Inf"): 5.0,
            ("took_seconds_count", None): 5.0,
            ("took_seconds_sum", None): 9.5,
        }


def test_nothing_is_written_but_what_is_given() -> None:
    """The library's own collectors, of this process and of Python, are not asked."""
    text = written(READINGS, "text").decode()

    assert {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")} == {
        "hits_total",
        "now",
        "took_seconds",
        "nothing_total",
    }


def test_counting_is_without_the_library() -> None:
    """It is imported when somebody first asks: this is its one door, and opening that does not import it."""
    code = "import sys, daemon.metrics.counting, daemon.metrics.exposition; print('prometheus_client' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert done.stdout.strip() == "False", done.stderr

"""Pictures and documents of requests: of what kind they were, whether they were seen, and what was painted over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.metrics.base import Counts, Family, Metric, Names, Now, Sample
from daemon.wire import Record

LOOKS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds: one takes 0.1 to 2 (docs/vision.md)."""
SEEN: Final = "seen"
NONE: Final = "none"
PICTURES: Final = Metric(
    "nearloop_pictures_total",
    "counter",
    "Pictures and documents of requests. kind: the likeliest, else `none`; outcome: `seen`, or why not (docs/vision.md).",
    ("part", "kind", "outcome"),
)
TOOK: Final = Metric(
    "nearloop_picture_look_seconds",
    "histogram",
    "Until a picture was seen or given up, since its request's were begun with.",
    ("part",),
    LOOKS,
)
FINDINGS: Final = Metric(
    "nearloop_picture_findings_total", "counter", "Private values in words of pictures, by class.", ("class",)
)
PAINTED: Final = Metric(
    "nearloop_pictures_painted_total", "counter", "Pictures with something painted over; a second coat counts again."
)
BOXES: Final = Metric("nearloop_picture_boxes_painted_total", "counter", "Areas of pictures that were painted over.")


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    for picture in record.pictures:
        counts.add(PICTURES, picture.part, picture.kind or NONE, picture.error or SEEN)
        if picture.took_ms is not None:
            counts.observe(TOOK, picture.took_ms / 1000, picture.part)
        for label, count in picture.findings.items():
            counts.add(FINDINGS, label, by=count)


def _now(now: Now, names: Names) -> Iterable[Sample]:
    return ((PAINTED, (), now.painted), (BOXES, (), now.boxes))


FAMILY: Final = Family((PICTURES, TOOK, FINDINGS, PAINTED, BOXES), of_record=_of_record, now=_now)

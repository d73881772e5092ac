"""What left this machine: each crossing when its receipt is written, and how it ended."""

from __future__ import annotations

from typing import Final

from daemon.metrics.base import Counts, Family, Metric, Names
from daemon.wire import Receipt

_TO: Final = ("provider", "place")
CROSSINGS: Final = Metric(
    "nearloop_crossings_total", "counter", "Times that something left, by what for.", (*_TO, "purpose")
)
SENT: Final = Metric("nearloop_crossing_sent_bytes_total", "counter", "Bytes of bodies that left.", _TO)
RECEIVED: Final = Metric("nearloop_crossing_received_bytes_total", "counter", "Bytes of answers that came back.", _TO)
ENDS: Final = Metric(
    "nearloop_crossing_ends_total", "counter", "Crossings that are over, by how (docs/privacy.md).", (*_TO, "outcome")
)


def _of_receipt(receipt: Receipt, counts: Counts, names: Names) -> None:
    if receipt.outcome is None:
        counts.add(CROSSINGS, receipt.provider, receipt.place, receipt.purpose)
        counts.add(SENT, receipt.provider, receipt.place, by=receipt.body_bytes)
    else:
        counts.add(ENDS, receipt.provider, receipt.place, receipt.outcome)
        counts.add(RECEIVED, receipt.provider, receipt.place, by=receipt.answer_bytes or 0)


FAMILY: Final = Family((CROSSINGS, SENT, RECEIVED, ENDS), of_receipt=_of_receipt)

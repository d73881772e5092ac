"""What metrics count of records and receipts, without a daemon."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from daemon import wire
from daemon.metrics.base import Metric, Now
from daemon.metrics.counting import Metrics
from daemon.metrics.naming import SetUp
from daemon.settings import Provider, Routing, Settings
from tests.fakes.told_records import SMALL, START

SETTINGS: Final = Settings(
    providers={"work": Provider("https://work.example.invalid/v1", models=("big-model",))},
    routing=Routing(models={"sees": "work/eye"}, names={"gpt-*": "work/mapped"}),
)
NAMES: Final = SetUp(lambda: SETTINGS, lambda: (SMALL,), lambda: ("nearloop/light",))
NOW: Final = Now(
    version="0.1.0", started_at=START, in_flight=2, waiting=1, local_only=True,
    models=(wire.Model(f"local/{SMALL}", "openvino-genai", "ready", False, waiting=3, restarts=1),),
    busy={f"local/{SMALL}": 1, "work/big-model": 1, "made/up": 4}, dropped=5, painted=6, boxes=7,
)  # fmt: skip


def metrics(*told: wire.Record | wire.Receipt, now: Now = NOW) -> Metrics:
    """All families, that were told this."""
    made = Metrics(NAMES, lambda: now)
    for seq, data in enumerate(told, 1):
        made.hear(wire.Event(seq, START, "record" if isinstance(data, wire.Record) else "receipt", data))
    return made


def values(made: Metrics, metric: Metric) -> Mapping[tuple[str, ...], float]:
    """Of a counter or gauge; of a histogram, how much was observed."""
    (found,) = [each for each in made.readings() if each.metric == metric]
    return dict(found.values) or {labels: float(counts[-1]) for labels, counts, _ in found.bins}


def count(metric: Metric, *told: wire.Record | wire.Receipt) -> Mapping[tuple[str, ...], float]:
    """The same, once this was told."""
    return values(metrics(*told), metric)


def begun_and_ended(receipts: Iterable[wire.Receipt]) -> list[wire.Receipt]:
    """As they are told: when they are written, and when they are complete."""
    return [each for receipt in receipts for each in (open_of(receipt), receipt)]


def open_of(receipt: wire.Receipt) -> wire.Receipt:
    """As it was before its end."""
    gone: dict[str, Any] = {"outcome": None, "status": None, "answer_bytes": None, "cost_usd": None}
    return replace(receipt, **gone)

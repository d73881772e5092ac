"""One daemon's metrics: what its events tell is counted by all families, and read together with what is there now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from daemon.metrics.base import Family, Metric, Names, Now
from daemon.metrics.registry import FAMILIES
from daemon.metrics.tally import Reading, Tally
from daemon.wire import Event, Receipt, Record


class Metrics:
    """Have `hear` listen to the daemon's events. now: what is there at a moment."""

    def __init__(self, names: Names, now: Callable[[], Now], families: tuple[Family, ...] = FAMILIES) -> None:
        self._names = names
        self._now = now
        self._families = families
        self._of_record = tuple(each.of_record for each in families if each.of_record is not None)
        self._of_receipt = tuple(each.of_receipt for each in families if each.of_receipt is not None)
        self._tally = Tally(metric for family in families for metric in family.metrics)

    def hear(self, event: Event) -> None:
        """One event of the daemon's."""
        match event.data:
            case Record() as record:
                for of_record in self._of_record:
                    of_record(record, self._tally, self._names)
            case Receipt() as receipt:
                for of_receipt in self._of_receipt:
                    of_receipt(receipt, self._tally, self._names)

    def readings(self) -> tuple[Reading, ...]:
        """All of it, family by family. Called on the event loop; what it returns changes no more."""
        counted = {each.metric.name: each for each in self._tally.readings()}
        now = self._now()
        for family in self._families:
            found: dict[Metric, dict[tuple[str, ...], float]] = defaultdict(dict)
            for metric, labels, value in family.now(now, self._names) if family.now else ():
                found[metric][labels] = float(value)
            counted |= {metric.name: Reading(metric, tuple(values.items())) for metric, values in found.items()}
        return tuple(
            counted.get(metric.name) or Reading(metric) for family in self._families for metric in family.metrics
        )

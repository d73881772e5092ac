"""What the dashboard knows of the daemon, put together from its events."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec import Struct

from daemon import wire

CAPACITY: Final = 2000
"""Records that are held: an hour of busy traffic in about 20 MB."""
EVERYTHING: Final = frozenset({"state"})
"""The kinds that say: look at all of it anew."""


class Running(Struct, frozen=True):
    """A request that is being answered. left_bytes: that have left this machine for it so far; to: whom."""

    id: str
    at: datetime
    protocol: str
    client: str | None
    left_bytes: int = 0
    to: str | None = None


class Picture:
    """The present state, and the last records, oldest first. Only the event loop touches it."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.status: wire.Status | None = None
        self.models: dict[str, wire.Model] = {}
        self.fetches: dict[str, wire.Fetch] = {}
        """How the fetching of models goes that was heard of."""
        self.local_only = False
        self.records: OrderedDict[str, wire.Record] = OrderedDict()
        self.running: dict[str, Running] = {}
        self.waiting: dict[str, wire.ApprovalNews] = {}
        """Approvals that were heard of; the daemon has all of them."""
        self.waiting_count = 0
        self.news: dict[str, wire.Event] = {}
        """The last event of each kind."""
        self._capacity = capacity

    def add(self, records: Iterable[wire.Record]) -> None:
        """Take in records that are known already, newest first as the daemon lists them."""
        known = {record.id: record for record in self.records.values()}
        known |= {record.id: record for record in records}
        in_order = sorted(known.values(), key=_ended)
        self.records = OrderedDict((record.id, record) for record in in_order[-self._capacity :])
        for id in self.running.keys() & known.keys():
            del self.running[id]

    def replace(self, records: Sequence[wire.Record], whole: bool) -> None:
        """Take in all that the daemon has, or the newest of it if that isn't the whole: what it has not any more goes."""
        oldest = min((record.at for record in records), default=None)
        for id, known in list(self.records.items()):
            if whole or oldest is None or known.at > oldest:
                del self.records[id]
        self.add(records)

    def take(self, events: Iterable[wire.Event]) -> frozenset[str]:
        """Take in what happened. Returns the kinds of it; of kinds that a later daemon has, `news` holds the last."""
        kinds = set()
        for event in events:
            kinds.add(event.kind)
            self.news[event.kind] = event
            self._take(event)
        return frozenset(kinds)

    def _take(self, event: wire.Event) -> None:
        match event.kind:
            case "state":
                self._start_anew(msgspec.convert(event.data, wire.Status))
            case "request" if event.record is not None and event.record not in self.records:
                self.running[event.record] = Running(
                    event.record, event.at, str(event.data.get("protocol", "")), event.data.get("client")
                )
            case "record":
                self._ended(msgspec.convert(event.data, wire.Record))
            case "purged":
                self._forget(msgspec.convert(event.data, wire.Forgotten).before)
            case "receipt" if event.record in self.running:
                self._left(event.record, event.data)
            case "model":
                model = msgspec.convert(event.data, wire.Model)
                self.models[model.name] = model
            case "fetch":
                fetch = msgspec.convert(event.data, wire.Fetch)
                self.fetches[fetch.model] = fetch
            case "privacy":
                self.local_only = msgspec.convert(event.data, wire.Privacy).local_only
            case "approval":
                self._asked(msgspec.convert(event.data, wire.ApprovalNews))

    def _start_anew(self, status: wire.Status) -> None:
        self.status = status
        self.models = {model.name: model for model in status.models}
        self.local_only = status.local_only
        self.waiting.clear()
        self.waiting_count = status.waiting
        if status.in_flight == 0:
            self.running.clear()

    def _ended(self, record: wire.Record) -> None:
        self.running.pop(record.id, None)
        self.records[record.id] = record
        if len(self.records) > self._capacity:
            self.records.popitem(last=False)

    def _forget(self, before: datetime) -> None:
        self.records = OrderedDict((id, record) for id, record in self.records.items() if record.at >= before)

    def _left(self, id: str, receipt: dict[str, Any]) -> None:
        before = self.running[id]
        # A receipt is told of twice, before it leaves and when its outcome is known.
        if receipt.get("outcome") is None:
            left = before.left_bytes + int(receipt.get("body_bytes", 0))
            self.running[id] = msgspec.structs.replace(before, left_bytes=left, to=str(receipt.get("provider")))

    def _asked(self, news: wire.ApprovalNews) -> None:
        if news.state == "waiting":
            if news.id not in self.waiting:
                self.waiting_count += 1
            self.waiting[news.id] = news
        elif self.waiting.pop(news.id, None) is not None or self.waiting_count:
            self.waiting_count = max(0, self.waiting_count - 1)


def _ended(record: wire.Record) -> float:
    return record.at.timestamp() + record.took_ms / 1000

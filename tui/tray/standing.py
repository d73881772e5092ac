"""How things stand, put together from the daemon's events: what icon, menu and notifications are made of."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any, Final

import msgspec

from daemon import wire
from tui.tray import notices
from tui.tray.day import Day
from tui.tray.notices import Notice
from tui.tray.states import State
from tui.words import counted, plain

LINGER: Final = timedelta(seconds=3)
"""So long the icon still says that something left, or an eye that looks up would miss it."""


class Standing:
    """The present. Only what the icon needs is kept: no records. now: the time, with a zone."""

    def __init__(self, today: Any = date.today) -> None:
        self.day = Day(today)
        self.models: dict[str, wire.Model] = {}
        self.local_only = False
        self.waiting: set[str] = set()
        """Approvals that were heard of."""
        self.alarms: tuple[str, ...] = ()
        """What is wrong, in the daemon's words."""
        self.trouble: str | None = "Nearloop was not asked yet"
        """Why nothing is heard; None: it is."""
        self._waiting_more = 0  # that wait since before we listened
        self._running: set[str] = set()
        self._leaving: dict[int, str] = {}  # receipt's number to its record
        self._left_until: datetime | None = None
        self._told_first: int | None = None  # the receipt's number
        self._told_spent: set[tuple[date, str]] = set()

    def lost(self, why: str) -> None:
        """Nothing is heard any more."""
        self.trouble = why
        self._leaving.clear()
        self._running.clear()

    def take(self, events: Iterable[wire.Event]) -> list[Notice]:
        """Take in what happened. Returns what the user is to be told of it."""
        self.trouble = None
        told: list[Notice] = []
        asked: dict[str, wire.ApprovalNews] = {}
        for event in events:
            match event.kind:
                case "state":
                    self._begin(msgspec.convert(event.data, wire.Status))
                case "request" if event.record is not None:
                    self._running.add(event.record)
                case "record":
                    told.extend(self._ended(msgspec.convert(event.data, wire.Record)))
                case "receipt":
                    told.extend(self._left(msgspec.convert(event.data, wire.Receipt), event.at))
                case "model":
                    model = msgspec.convert(event.data, wire.Model)
                    self.models[model.name] = model
                case "privacy":
                    self.local_only = msgspec.convert(event.data, wire.Privacy).local_only
                case "spending":
                    warning = msgspec.convert(event.data, wire.Warning)
                    told.append(notices.spending(warning.text, warning.code == "spending-reached"))
                case "approval":
                    news = msgspec.convert(event.data, wire.ApprovalNews)
                    self._asked(news, asked)
        if asked:
            told.append(notices.asks(tuple(asked.values())))
        return told

    @property
    def waiting_count(self) -> int:
        """How many requests and tool calls wait for the user's word."""
        return len(self.waiting) + self._waiting_more

    def state(self, now: datetime) -> State:
        """What the icon says."""
        if self.trouble is not None:
            return State.STOPPED
        if self._leaving or (self._left_until is not None and now < self._left_until):
            return State.CLOUD
        if self.waiting_count or self.alarms or any(model.state == "failed" for model in self.models.values()):
            return State.ATTENTION
        if self.local_only:
            return State.LOCAL_ONLY
        return State.WORKING if self._running else State.IDLE

    def changes_at(self, now: datetime) -> datetime | None:
        """When the icon changes though nothing happens; None: it doesn't."""
        return self._left_until if self._left_until is not None and now < self._left_until else None

    def title(self, now: datetime) -> str:
        """The icon in words."""
        match self.state(now):
            case State.STOPPED:
                return "Nearloop is not running"
            case State.CLOUD:
                return "Nearloop: something leaves this machine"
            case State.ATTENTION:
                return f"Nearloop: {self._attention()}"
            case State.LOCAL_ONLY:
                return "Nearloop: local-only, nothing leaves" + (", working" if self._running else "")
            case State.WORKING:
                return f"Nearloop: {counted(len(self._running), 'request')}, on this machine"
            case State.IDLE:
                return "Nearloop: idle"

    def _attention(self) -> str:
        if self.waiting_count:
            return f"{self.waiting_count} waiting for your word"
        failed = sorted(model.name for model in self.models.values() if model.state == "failed")
        return plain(self.alarms[0] if self.alarms else f"{failed[0]} can't be loaded")

    def _begin(self, status: wire.Status) -> None:
        self.models = {model.name: model for model in status.models}
        self.local_only = status.local_only
        self.alarms = tuple(warning.text for warning in status.warnings if warning.severity == "error")
        self.waiting.clear()
        self._waiting_more = status.waiting
        self._leaving.clear()
        if status.in_flight == 0:
            self._running.clear()

    def _ended(self, record: wire.Record) -> list[Notice]:
        self._running.discard(record.id)
        for number in [number for number, id in self._leaving.items() if id == record.id]:
            del self._leaving[number]
        self.day.add(record)
        fresh = [limit for limit in record.ledger.spent if (self.day.date, limit) not in self._told_spent]
        self._told_spent.update((self.day.date, limit) for limit in fresh)
        return [notices.spent(limit) for limit in fresh]

    def _left(self, receipt: wire.Receipt, at: datetime) -> list[Notice]:
        """A receipt is told of twice: before something leaves, and when its outcome is known."""
        if receipt.place != "cloud" or receipt.purpose != "request":
            return []
        if receipt.outcome is not None:
            self._leaving.pop(receipt.number, None)
            if receipt.outcome == "unsent" and self._told_first == receipt.number:
                self._told_first = None
            return []
        self._leaving[receipt.number] = receipt.record or ""
        self._left_until = at + LINGER
        if self._told_first is not None:
            return []
        self._told_first = receipt.number
        return [notices.first_left(receipt)]

    def _asked(self, news: wire.ApprovalNews, asked: dict[str, wire.ApprovalNews]) -> None:
        if news.state == "waiting":
            if news.id not in self.waiting:
                self.waiting.add(news.id)
                asked[news.id] = news
            return
        asked.pop(news.id, None)
        if news.id in self.waiting:
            self.waiting.discard(news.id)
        else:
            self._waiting_more = max(0, self._waiting_more - 1)

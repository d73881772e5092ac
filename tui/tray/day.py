"""What this day's requests come to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from daemon import wire
from tui.sieve import is_local
from tui.words import counted, money, share


class Day:
    """Sums that begin anew at midnight here. today: the date here. floor: whether there are more requests than were read."""

    def __init__(self, today: Callable[[], date]) -> None:
        self._today = today
        self._begin()

    def _begin(self) -> None:
        self.date = self._today()
        self.floor = False
        self.answered = 0
        self.local = 0
        self.cost_usd = 0.0
        self.unpriced = 0
        self._known: set[str] = set()

    def add(self, record: wire.Record) -> None:
        """Count one, once."""
        self._turn()
        if record.at.astimezone().date() != self.date or record.id in self._known:
            return
        self._known.add(record.id)
        self.cost_usd += record.ledger.cost_usd
        self.unpriced += record.ledger.unpriced
        if record.outcome == "answered":
            self.answered += 1
            self.local += is_local(record)

    def line(self) -> str:
        """`Today: $0.0123 · 92 % of 41 answered here`."""
        self._turn()
        if not self.answered:
            return "Today: nothing was asked yet"
        least = "≥ " if self.floor else ""
        unknown = f" + {counted(self.unpriced, 'call')} without a price" if self.unpriced else ""
        where = f"{share(self.local, self.answered)} of {least}{self.answered} answered here"
        return f"Today: {least}{money(self.cost_usd)}{unknown} · {where}"

    def _turn(self) -> None:
        if self._today() != self.date:
            self._begin()

"""What this day's requests come to: where they were answered, by their records, and what they cost, by the daemon's sums."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from daemon import wire
from tui.sieve import is_local
from tui.words import counted, money, plain, share


class Day:
    """Begins anew at midnight here. today: the date here. floor: whether there are more requests than were read."""

    def __init__(self, today: Callable[[], date]) -> None:
        self._today = today
        self._begin()

    def _begin(self) -> None:
        self.date = self._today()
        self.floor = False
        self.answered = 0
        self.local = 0
        self._spent: wire.SpendingReport | None = None
        self._known: set[str] = set()

    def add(self, record: wire.Record) -> None:
        """Count one, once."""
        self._turn()
        if record.at.astimezone().date() != self.date or record.id in self._known:
            return
        self._known.add(record.id)
        if record.outcome == "answered":
            self.answered += 1
            self.local += is_local(record)

    def tell(self, spent: wire.SpendingReport) -> None:
        """What the daemon says was spent today; of another day it is nothing of this one's."""
        self._turn()
        if spent.since == self.date.isoformat():
            self._spent = spent

    def line(self) -> str:
        """`Today: $0.0123 of $5.00 · 92 % of 41 answered here`."""
        self._turn()
        money = self._money()
        if not self.answered:
            return f"Today: {money}" if money else "Today: nothing was asked yet"
        where = f"{share(self.local, self.answered)} of {'≥ ' if self.floor else ''}{self.answered} answered here"
        return f"Today: {money} · {where}" if money else f"Today: {where}"

    def limits(self) -> tuple[str, ...]:
        """Those that are near or reached, in a line each."""
        self._turn()
        found = self._spent.limits if self._spent is not None else ()
        return tuple(_limit(each) for each in found if each.near)

    def _money(self) -> str:
        """What was spent, with what nobody knows and what a plan pays told apart; empty: nothing was asked."""
        if self._spent is None:
            return ""
        sums = self._spent.whole
        limit = next((each for each in self._spent.limits if (each.scope, each.period) == ("all", "day")), None)
        spent = money(self._spent.today_usd)
        parts = [f"{spent} of {money(limit.limit_usd)}" if limit else spent]
        if sums.unpriced:
            parts.append(f"{counted(sums.unpriced, 'call')} of unknown price")
        if sums.plan:
            parts.append(f"{counted(sums.plan, 'call')} by plan")
        return " + ".join(parts) if sums.calls or self._spent.today_usd or self.answered else ""

    def _turn(self) -> None:
        if self._today() != self.date:
            self._begin()


def _limit(limit: wire.SpendingLimit) -> str:
    """`Reached: $2.00 a day at work`."""
    whose = {"all": "in all clouds", "provider": f"at {limit.name}", "project": f"for {limit.name}"}
    words = whose.get(limit.scope, f"by {limit.name}")
    state = "Reached" if limit.reached else f"{100 * limit.spent_usd / limit.limit_usd:.0f} % spent"
    return plain(f"{state}: {money(limit.limit_usd)} a {limit.period} {words}")

"""What each client may take a day, and has taken.

Theory of operation. A client is whoever has a token. Its calls are entered here as they are entered into their request's
ledger, before they are made and with what they may come to, so that calls that run side by side can't pass a limit together;
whatever they did not take is free again when they end. A day is one of this machine's, from midnight to midnight. What was
taken since midnight is summed from the records when the daemon starts, so a restart forgives nothing but what was running
then. A request counts when it comes in; one that is refused because of that limit doesn't.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, Protocol

from msgspec.structs import replace

from daemon.clock import Clock
from daemon.errors import DailyLimit
from daemon.money.days import begins_at, day_of
from daemon.wire import PerDay, Taken

Limit = Literal["requests", "tokens", "cost_usd"]


class Taking(Protocol):
    """A call, in its ledger. tokens, cost_usd: taken, or kept for it while it is open."""

    open: bool

    @property
    def tokens(self) -> int: ...

    @property
    def cost_usd(self) -> float: ...

    @property
    def priced(self) -> bool: ...


class Allowance:
    """One client's. limits: what it may take, from the next call on."""

    def __init__(self, client: str, clock: Clock) -> None:
        self.client = client
        self.limits = PerDay()
        self._clock = clock
        self._day = begin_of_day(clock.now())
        self._ended = Taken()
        """Of calls that are over."""
        self._open: list[Taking] = []

    def arrive(self) -> None:
        """A request. Raises DailyLimit if it is one too many."""
        self._turn()
        if self.limits.requests is not None and self._ended.requests >= self.limits.requests:
            raise self.spent("requests")
        self._ended = replace(self._ended, requests=self._ended.requests + 1)

    def take(self, call: Taking) -> None:
        """A call is entered, and taken along until it is over."""
        self._turn()
        self._open.append(call)

    @property
    def tokens_left(self) -> float:
        """Infinite if there is no limit."""
        return float("inf") if self.limits.tokens is None else self.limits.tokens - self.taken.tokens

    @property
    def cost_left_usd(self) -> float:
        """Infinite if there is no limit."""
        return float("inf") if self.limits.cost_usd is None else self.limits.cost_usd - self.taken.cost_usd

    @property
    def taken(self) -> Taken:
        """Since midnight, with what is kept for calls that still run."""
        self._turn()
        running = []
        for call in self._open:
            if call.open:
                running.append(call)
            else:
                self._ended = _with(self._ended, call)
        self._open = running
        found = self._ended
        for call in running:
            found = _with(found, call)
        return found

    def recall(self, before: Taken) -> None:
        """What was taken today before the daemon started."""
        self._ended = before

    def spent(self, limit: Limit) -> DailyLimit:
        """The error that says so."""
        now, taken = self._clock.now(), self.taken
        until = begin_of_day(now, 1)
        match limit:
            case "requests":
                what = f"has asked {taken.requests:,} times today, which is all that it may"
                option = "--requests"
            case "tokens":
                what = (
                    f"has {taken.tokens:,} of the {self.limits.tokens:,} tokens that it may take a day, and what is left "
                    "is too little for this request"
                )
                option = "--tokens"
            case "cost_usd":
                what = (
                    f"has spent ${taken.cost_usd:.4f} of the ${self.limits.cost_usd:.4f} that it may a day, and what is "
                    "left is too little for this request, or nobody knows its price"
                )
                option = "--cost"
        message = (
            f"the client {self.client} {what}. The next day begins at {until:%Y-%m-%d %H:%M}; "
            f"`nearloop client limit {self.client} {option} …` changes the limit"
        )
        return DailyLimit(f"day_{limit}", message, (until - now).total_seconds())

    def _turn(self) -> None:
        """To the next day, if it has begun. What still runs is yesterday's."""
        day = begin_of_day(self._clock.now())
        if day != self._day:
            self._day, self._ended, self._open = day, Taken(), []


def _with(taken: Taken, call: Taking) -> Taken:
    return Taken(
        taken.requests,
        taken.tokens + call.tokens,
        round(taken.cost_usd + call.cost_usd, 9),
        taken.unpriced + (not call.priced),
    )


class Allowances:
    """Of all clients with a token, by name."""

    def __init__(self, limits: Mapping[str, PerDay], clock: Clock) -> None:
        self._clock = clock
        self._of: dict[str, Allowance] = {}
        self._known: frozenset[str] = frozenset()
        self.replace(limits)

    def replace(self, limits: Mapping[str, PerDay]) -> None:
        """After settings changed. Who is gone and comes back the same day goes on where it was."""
        self._known = frozenset(limits)
        for client, per_day in limits.items():
            self._of.setdefault(client, Allowance(client, self._clock)).limits = per_day

    def recall(self, taken: Mapping[str | None, Taken]) -> None:
        """What was taken today before the daemon started, by client."""
        for client, before in taken.items():
            if client is not None:
                self._of.setdefault(client, Allowance(client, self._clock)).recall(before)

    def of(self, client: str | None) -> Allowance | None:
        """A client's; None for who has no token, and for the admin's."""
        return self._of[client] if client in self._known else None

    def today(self, client: str) -> Taken:
        """What a client took since midnight."""
        found = self._of.get(client)
        return found.taken if found else Taken()


def begin_of_day(now: datetime, days_later: int = 0) -> datetime:
    """Midnight of this machine's, before `now` or so many days after that."""
    return begins_at(day_of(now) + timedelta(days=days_later))

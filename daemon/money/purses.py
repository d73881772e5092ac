"""What may be spent in clouds, and was: of all, and by provider, project and client, a day and a month.

Theory of operation. A purse has what was spent of one scope, by days of this machine's from midnight to midnight, in whole
nano-USD. A call is entered into all purses that it concerns before it is made, with the most that it may come to, so that
calls that run side by side can't pass a limit together; when it ends it counts with what it cost. A request's calls count
for the day on which the request came in. What a day has is never taken back by a clock: the sum of a day has later days in
it, so that a clock that is set back finds all that was spent, and one that goes on again too. A daemon that starts is told
what the record file knows, with what was kept for calls whose end nobody saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final, Literal, Protocol

from msgspec import Struct

from daemon.clock import Clock
from daemon.errors import SpendingLimit
from daemon.money.days import day_of, ends_at
from daemon.settings import Spending, Spent
from daemon.wire import Warning
from providers.prices import NANO, Price

Scope = Literal["all", "provider", "project", "client"]
Period = Literal["day", "month"]
PERIODS: Final[tuple[Period, ...]] = ("day", "month")


class Call(Protocol):
    """In its ledger. cost_nano: what it cost, or is kept for it while it is open."""

    open: bool

    @property
    def cost_nano(self) -> int: ...


class Whom(Struct, frozen=True):
    """Who is asked, beyond this machine. unpriced: whether that may be under a limit although nobody knows its price."""

    provider: str
    model: str
    unpriced: bool = False


class Standing(Struct, frozen=True):
    """How one limit stands. name: of whom; empty for all. spent_nano: with what is kept for calls that still run."""

    scope: Scope
    name: str
    period: Period
    limit_nano: int
    spent_nano: int
    until: datetime
    warn_at: float

    @property
    def reached(self) -> bool:
        """Whether nothing is left."""
        return self.spent_nano >= self.limit_nano

    @property
    def near(self) -> bool:
        """Whether the user is to be told."""
        return self.spent_nano >= self.limit_nano * self.warn_at

    @property
    def code(self) -> str:
        """As records have it."""
        return f"{self.scope}_{self.period}_usd"

    @property
    def whose(self) -> str:
        """In words."""
        return "in all clouds" if self.scope == "all" else f"{_BY[self.scope]} {self.name}"

    @property
    def option(self) -> str:
        """What changes it."""
        whom = "" if self.scope == "all" else f" --{self.scope} {self.name}"
        return f"`nearloop limit{whom} --{self.period} …`"

    @property
    def told(self) -> str:
        """In words, with how much."""
        return (
            f"${self.spent_nano / NANO:.4f} of the ${self.limit_nano / NANO:.4f} that may be spent {self.whose} "
            f"a {self.period}"
        )


_BY: Final = {"provider": "at", "project": "for the project", "client": "by the client"}


class Purse:
    """One scope's. limits: from the next call on."""

    def __init__(self, scope: Scope, name: str) -> None:
        self.scope: Scope = scope
        self.name = name
        self.limits = Spent()
        self._days: dict[date, int] = {}
        self._open: list[tuple[date, Call]] = []

    @property
    def limited(self) -> bool:
        """Whether anything is said of it."""
        return self.limits.day_usd is not None or self.limits.month_usd is not None

    def take(self, day: date, call: Call) -> None:
        """A call is entered, and taken along until it is over."""
        self._settle()
        self._open.append((day, call))

    def recall(self, day: date, nano: int) -> None:
        """What was spent before the daemon started."""
        self._days[day] = self._days.get(day, 0) + nano

    def spent_nano(self, since: date) -> int:
        """Since a day's midnight, with what is kept for calls that still run."""
        self._settle()
        done = sum(nano for day, nano in self._days.items() if day >= since)
        return done + sum(call.cost_nano for day, call in self._open if day >= since)

    def _settle(self) -> None:
        """Calls that are over are let go, and what they cost stays. With each call, since where nothing is limited nobody
        asks.
        """
        running = []
        for day, call in self._open:
            if call.open:
                running.append((day, call))
            elif cost := call.cost_nano:
                self._days[day] = self._days.get(day, 0) + cost
        self._open = running

    def standings(self, day: date) -> list[Standing]:
        """Of its limits, on a day."""
        found = []
        for period, usd in zip(PERIODS, (self.limits.day_usd, self.limits.month_usd), strict=True):
            if usd is not None:
                spent = self.spent_nano(day if period == "day" else day.replace(day=1))
                until = ends_at(day, period)
                found.append(
                    Standing(self.scope, self.name, period, round(usd * NANO), spent, until, self.limits.warn_at)
                )
        return found


class Account:
    """What one request may spend. Its calls count for the day on which it came in.

    opened: called with each call's number, who is asked, and what is kept for it, so that it is known to a daemon that
    starts after this one was killed.
    """

    def __init__(
        self,
        purses: Purses,
        client: str | None,
        project: str | None,
        at: datetime,
        opened: Callable[[int, Whom, Call], None] = lambda *_: None,
    ) -> None:
        self._purses = purses
        self._client = client
        self._project = project
        self._opened = opened
        self.day = day_of(at)

    def limited(self, provider: str) -> bool:
        """Whether any limit is on it."""
        return any(purse.limited for purse in self._of(provider))

    def left_nano(self, provider: str) -> float:
        """Under the tightest limit; infinite if there is none."""
        standings = self._standings(provider)
        return min((each.limit_nano - each.spent_nano for each in standings), default=float("inf"))

    def over(self, provider: str) -> SpendingLimit:
        """The error that says so, by the tightest limit that is on it."""
        tightest = min(self._standings(provider), key=lambda each: each.limit_nano - each.spent_nano)
        message = (
            f"{tightest.told} are spent, and what is left is too little for this request, or nobody knows its price. That "
            f"ends at {tightest.until:%Y-%m-%d %H:%M}; {tightest.option} changes it, and models on this machine go on "
            "answering"
        )
        return SpendingLimit(tightest.code, message, self._purses.seconds_until(tightest.until))

    def take(self, number: int, whom: Whom, call: Call) -> None:
        """A call is entered. number: its place among the request's."""
        for purse in self._of(whom.provider):
            purse.take(self.day, call)
        self._opened(number, whom, call)

    def look(self, provider: str) -> None:
        """Tell of limits that came near, once each a period."""
        self._purses.look(self._standings(provider))

    def _standings(self, provider: str) -> list[Standing]:
        return [each for purse in self._of(provider) for each in purse.standings(self.day)]

    def _of(self, provider: str) -> tuple[Purse, ...]:
        return self._purses.of(provider, self._project, self._client)


class Purses:
    """All of them. told: called with a limit that came near or was reached, once each in its period."""

    def __init__(self, spending: Spending, clock: Clock, told: Callable[[Standing], None] = lambda _: None) -> None:
        self._clock = clock
        self._told = told
        self._purses: dict[tuple[Scope, str], Purse] = {}
        self._known: set[tuple[Scope, str, Period, datetime, bool]] = set()
        self.replace(spending)

    def replace(self, spending: Spending) -> None:
        """After settings changed. What was spent stays spent."""
        for purse in self._purses.values():
            purse.limits = Spent()
        self._purse("all", "").limits = Spent(spending.day_usd, spending.month_usd, spending.warn_at)
        named: tuple[tuple[Scope, Mapping[str, Spent]], ...] = (
            ("provider", spending.providers),
            ("project", spending.projects),
            ("client", spending.clients),
        )
        for scope, rows in named:
            for name, spent in rows.items():
                self._purse(scope, name).limits = spent

    def recall(self, day: date, provider: str, project: str, client: str, nano: int) -> None:
        """What was spent on a day of this month before the daemon started. It was told of then."""
        for purse in self.of(provider, project or None, client or None):
            purse.recall(day, nano)

    def recalled(self) -> None:
        """All of it is known: what is near its limit now was told before."""
        self._known.update(_mark(each) for each in self.standings if each.near)

    @property
    def limited(self) -> bool:
        """Whether anything is said of anybody."""
        return any(purse.limited for purse in self._purses.values())

    def account(
        self,
        client: str | None,
        project: str | None,
        at: datetime | None = None,
        opened: Callable[[int, Whom, Call], None] = lambda *_: None,
    ) -> Account:
        """Of a request that came in then; None: now."""
        return Account(self, client, project, at or self._clock.now(), opened)

    def of(self, provider: str, project: str | None, client: str | None) -> tuple[Purse, ...]:
        """Those that a call concerns."""
        found = [self._purse("all", ""), self._purse("provider", provider)]
        if project:
            found.append(self._purse("project", project))
        if client:
            found.append(self._purse("client", client))
        return tuple(found)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Of all limits, now."""
        today = day_of(self._clock.now())
        return tuple(each for purse in self._purses.values() for each in purse.standings(today))

    @property
    def now(self) -> datetime:
        """By the clock that days are told by."""
        return self._clock.now()

    def spent_nano(self, period: Period) -> int:
        """By all, today or this month."""
        today = day_of(self._clock.now())
        return self._purse("all", "").spent_nano(today if period == "day" else today.replace(day=1))

    def look(self, standings: list[Standing]) -> None:
        """Tell of those that came near or were reached, once each a period."""
        for each in standings:
            if each.near and (mark := _mark(each)) not in self._known:
                self._known.add(mark)
                self._told(each)

    def seconds_until(self, end: datetime) -> float:
        """From now."""
        return max(1.0, (end - self._clock.now()).total_seconds())

    def warnings(self) -> tuple[Warning, ...]:
        """What the user should know of limits now."""
        return tuple(warning_of(each) for each in self.standings if each.near)

    def _purse(self, scope: Scope, name: str) -> Purse:
        found = self._purses.get((scope, name))
        if found is None:
            found = self._purses[scope, name] = Purse(scope, name)
        return found


def warning_of(standing: Standing) -> Warning:
    """In words."""
    until = f"until {standing.until:%Y-%m-%d %H:%M}"
    if standing.reached:
        text = f"{standing.told} are spent: models on this machine answer {until}"
        return Warning("spending-reached", "warning", text, f"{standing.option} changes the limit")
    return Warning("spending-near", "warning", f"{standing.told} are spent", f"{standing.option} changes the limit")


def _mark(standing: Standing) -> tuple[Scope, str, Period, datetime, bool]:
    return (standing.scope, standing.name, standing.period, standing.until, standing.reached)


def paid_by(left_nano: float, prompt: int, price: Price, least: int) -> float | None:
    """How long an answer may be for so much money, at most; None if that is less than `least` tokens."""
    if left_nano == float("inf") or not price.most_nano(prompt, 1_000_000):
        return float("inf")
    if price.most_nano(prompt, least) > left_nano:
        return None
    each = price.most_nano(prompt, 1_000_000) - price.most_nano(prompt, 0)
    return (left_nano - price.most_nano(prompt, 0)) * 1_000_000 // each if each else float("inf")

"""The ledger of one request: what all its calls may take together, and what they took.

Theory of operation. A call is entered before it is made, each repetition too. It gets what is left as its own limit of
tokens, less what other calls that are still running may take; where nothing useful is left, it isn't made. So calls that run
side by side can't pass the limit together. Three things are known only afterwards or not at all, and are taken from the safe
side: how long a prompt is for a model (a token for each 3 characters), what a provider that tells no usage has read and
written (the same), and what a cloud model without a known price costs: under a limit of money it isn't asked. What the
client may take a day (`allowances.py`) limits a call in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from daemon.allowances import Allowance
from daemon.energy import EnergyMeter
from daemon.errors import BudgetSpent, DailyLimit
from daemon.settings import Budget
from daemon.wire import PerDay
from providers.contract import Usage

LEAST_TOKENS: Final = 16
"""An answer that may not be this long is no use."""
CHARS_PER_TOKEN: Final = 3
LOOK_S: Final = 1.0
"""How often the meter is looked at while an answer comes."""
Limit = Literal["calls", "tokens", "cost_usd", "wall_s", "joules"]
DayLimit = Literal["tokens", "cost_usd"]


class Price(Struct, frozen=True):
    """Of a model, in USD for a million tokens."""

    prompt_per_1m: float
    completion_per_1m: float

    def cost_usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Of so many."""
        return (prompt_tokens * self.prompt_per_1m + completion_tokens * self.completion_per_1m) / 1e6


FREE: Final = Price(0.0, 0.0)
"""Of what runs on machines of the user's."""


class Entry:
    """One call. price: None: nobody knows it. max_tokens: how long its answer may be; None: as it likes."""

    def __init__(self, price: Price | None, prompt_tokens: int, max_tokens: int | None) -> None:
        self.price = price
        self.max_tokens = max_tokens
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = 0
        self._written_chars = 0
        self._cost_usd: float | None = None
        self.open = True

    def write(self, chars: int) -> None:
        """So many more characters have come."""
        self._written_chars += chars
        self.completion_tokens = -(-self._written_chars // CHARS_PER_TOKEN)

    def close(self, usage: Usage | None, cost_usd: float | None = None) -> None:
        """It has ended. usage: as it was told; None: it wasn't, and what was reckoned stands. cost_usd: as its receipt has
        it.
        """
        self.open = False
        self._cost_usd = cost_usd
        if usage is not None and (usage.prompt_tokens or usage.completion_tokens):
            self.prompt_tokens, self.completion_tokens = usage.prompt_tokens, usage.completion_tokens

    @property
    def tokens(self) -> int:
        """Taken, or kept for it while it runs."""
        return self.prompt_tokens + (self._most() if self.open else self.completion_tokens)

    @property
    def cost_usd(self) -> float:
        """Of the same; nothing, if nobody knows the price."""
        if self._cost_usd is not None:
            return self._cost_usd
        written = self._most() if self.open else self.completion_tokens
        return self.price.cost_usd(self.prompt_tokens, written) if self.price else 0.0

    @property
    def priced(self) -> bool:
        """Whether anybody knows what it costs."""
        return self.price is not None

    def _most(self) -> int:
        return max(self.max_tokens or 0, self.completion_tokens)


class Ledger:
    """now: seconds that never run backwards. meter: None where the machine tells no energy. allowance: of the client, if it
    has one.
    """

    def __init__(
        self, limits: Budget, now: Callable[[], float], meter: EnergyMeter | None, allowance: Allowance | None = None
    ) -> None:
        self._allowance = allowance
        self.limits = limits
        self._now = now
        self._began = now()
        self._meter = meter if meter is not None and meter.reads else None
        self._joules_before = self._meter.joules() if self._meter else None
        self._looked_at = self._began
        self.entries: list[Entry] = []
        self.spent: list[str] = []
        """Limits that kept something from being done; `day_…` of those that the client has for a day."""

    @property
    def ends_at(self) -> float | None:
        """When its time is over, on `now`'s clock."""
        return None if self.limits.wall_s is None else self._began + self.limits.wall_s

    @property
    def runs_out(self) -> bool:
        """Whether a call may have to end before its answer does."""
        return self.limits.wall_s is not None or self.limits.joules is not None

    @property
    def counts_tokens(self) -> bool:
        """Whether a call's prompt has to be reckoned."""
        day = self._allowance.limits if self._allowance else PerDay()
        limits = (self.limits.tokens, self.limits.cost_usd, day.tokens, day.cost_usd)
        return any(limit is not None for limit in limits)

    @property
    def spare(self) -> bool:
        """Whether another call may be made behind the next one."""
        return len(self.entries) + 1 < self.limits.calls

    def enter(self, price: Price | None, prompt_chars: int, wanted: int | None) -> Entry:
        """Before a call. wanted: how long its answer shall be at most. Raises BudgetSpent, DailyLimit if nothing useful is
        left.
        """
        if len(self.entries) >= self.limits.calls:
            raise self.over("calls")
        self.look()
        prompt = -(-prompt_chars // CHARS_PER_TOKEN)
        room = min(self._room_of_tokens(prompt), self._room_of_money(prompt, price), self._room_of_day(prompt, price))
        most = wanted if room == float("inf") else int(room if wanted is None else min(room, wanted))
        entry = Entry(price, prompt, most)
        self.entries.append(entry)
        if self._allowance is not None:
            self._allowance.take(entry)
        return entry

    def settle(self) -> None:
        """The request is over: a call that never began, since its request was given up just then, takes nothing more."""
        for entry in self.entries:
            if entry.open:
                entry.close(None)

    def look(self) -> None:
        """Raises BudgetSpent if time or energy is over."""
        now = self._now()
        if self.ends_at is not None and now >= self.ends_at:
            raise self.over("wall_s")
        self._looked_at = now
        if self.limits.joules is not None and (used := self.joules) is not None and used >= self.limits.joules:
            raise self.over("joules")

    def look_again(self) -> None:
        """The same, but for each delta: not more often than is of use. Raises BudgetSpent."""
        if self.limits.joules is not None and self._now() - self._looked_at >= LOOK_S:
            self.look()

    def over(self, limit: Limit) -> BudgetSpent:
        """Write down that a limit is reached."""
        if limit not in self.spent:
            self.spent.append(limit)
        return BudgetSpent(limit)

    def _room_of_tokens(self, prompt: int) -> float:
        if self.limits.tokens is None:
            return float("inf")
        room = self.limits.tokens - sum(entry.tokens for entry in self.entries) - prompt
        if room < LEAST_TOKENS:
            raise self.over("tokens")
        return room

    def _room_of_money(self, prompt: int, price: Price | None) -> float:
        if self.limits.cost_usd is None:
            return float("inf")
        room = _paid_by(self.limits.cost_usd - sum(entry.cost_usd for entry in self.entries), prompt, price)
        if room is None:
            raise self.over("cost_usd")
        return room

    def _room_of_day(self, prompt: int, price: Price | None) -> float:
        """Of what the client may take a day."""
        if self._allowance is None:
            return float("inf")
        tokens = self._allowance.tokens_left - prompt
        if tokens < LEAST_TOKENS:
            raise self._over_day(self._allowance, "tokens")
        if self._allowance.limits.cost_usd is None:
            return tokens
        paid = _paid_by(self._allowance.cost_left_usd, prompt, price)
        if paid is None:
            raise self._over_day(self._allowance, "cost_usd")
        return min(tokens, paid)

    def _over_day(self, allowance: Allowance, limit: DayLimit) -> DailyLimit:
        spent = allowance.spent(limit)
        if spent.limit not in self.spent:
            self.spent.append(spent.limit)
        return spent

    @property
    def joules(self) -> float | None:
        """What the machine used meanwhile; None if it doesn't tell."""
        now = self._meter.joules() if self._meter else None
        return None if now is None or self._joules_before is None else round(now - self._joules_before, 3)

    @property
    def usage(self) -> Usage:
        """Of all calls."""
        return Usage(
            sum(entry.prompt_tokens for entry in self.entries), sum(entry.completion_tokens for entry in self.entries)
        )

    @property
    def cost_usd(self) -> float:
        """Of those whose price is known."""
        return round(sum(entry.cost_usd for entry in self.entries), 9)

    @property
    def unpriced(self) -> int:
        """Calls whose price nobody knows."""
        return sum(entry.price is None for entry in self.entries)


def _paid_by(left_usd: float, prompt: int, price: Price | None) -> float | None:
    """How long an answer may be for so much money; None if that is of no use, or nobody knows the price."""
    if price is FREE:
        return float("inf")
    if price is None:
        return None
    left = left_usd - price.cost_usd(prompt, 0)
    if left < price.cost_usd(0, LEAST_TOKENS):
        return None
    return left * 1e6 / price.completion_per_1m if price.completion_per_1m else float("inf")

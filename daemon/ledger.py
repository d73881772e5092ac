"""The ledger of one request: what all its calls may take together, and what they took.

Theory of operation. A call is entered before it is made, each repetition too. It gets what is left as its own limit of
tokens, less what other calls that are still running may take; where nothing useful is left, it isn't made. So calls that run
side by side can't pass the limit together. Three things are known only afterwards or not at all, and are taken from the safe
side: how long a prompt is for a model (a token for each 3 characters), what a provider that tells no usage has read and
written (the same), and what a cloud model without a known price costs: under a limit of money it isn't asked, unless its
provider's row lets it be. What the client may take a day (`allowances.py`) and what may be spent (`money/purses.py`) limit a
call in the same way. Where nobody says how long an answer may be, MOST_TOKENS are kept for it; where that isn't left, it may
be as long as any model can write at once (USUAL_TOKENS), since some refuse a limit that is above theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from daemon.allowances import Allowance
from daemon.energy import EnergyMeter
from daemon.errors import BudgetSpent, DailyLimit
from daemon.money.purses import Account, Whom, paid_by
from daemon.settings import Budget
from daemon.wire import PerDay
from providers.contract import Usage
from providers.prices import NANO, Price, Tokens

LEAST_TOKENS: Final = 16
"""An answer that may not be this long is no use."""
CHARS_PER_TOKEN: Final = 3
MOST_TOKENS: Final = 128_000
"""What models of today write in one answer at most."""
USUAL_TOKENS: Final = 8_192
"""What nearly all of them may be asked for."""
LOOK_S: Final = 1.0
"""How often the meter is looked at while an answer comes."""
Limit = Literal["calls", "tokens", "cost_usd", "wall_s", "joules"]
DayLimit = Literal["tokens", "cost_usd"]


class Entry:
    """One call. price: None: nobody knows it. max_tokens: how long its answer may be; None: as it likes. kept: how many
    tokens of answer are kept for it while it runs.
    """

    def __init__(
        self, price: Price | None, prompt_tokens: int, max_tokens: int | None, kept: int | None = None
    ) -> None:
        self.price = price
        self.max_tokens = max_tokens
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = 0
        self._kept = (max_tokens or 0) if kept is None else kept
        self._written_chars = 0
        self._cost_nano: int | None = None
        self.reckoned = False
        """Whether what it took was told by nobody."""
        self.open = True

    def write(self, chars: int) -> None:
        """So many more characters have come."""
        self._written_chars += chars
        self.completion_tokens = -(-self._written_chars // CHARS_PER_TOKEN)

    def close(self, usage: Usage | None, cost_usd: float | None = None) -> None:
        """It has ended. usage: as it was told; None: it wasn't, and what was reckoned stands. cost_usd: as its receipt has
        it, to the nano-USD.
        """
        self.open = False
        self._cost_nano = None if cost_usd is None else round(cost_usd * NANO)
        if usage is not None and (usage.prompt_tokens or usage.completion_tokens):
            self.prompt_tokens, self.completion_tokens = usage.prompt_tokens, usage.completion_tokens
            if self._cost_nano is None and self.price is not None:
                self._cost_nano = self.price.cost_nano(tokens_of(usage))
        else:
            self.reckoned = True

    def never_was(self) -> None:
        """It was refused before anything was read: it took nothing."""
        self.open = False
        self.prompt_tokens = self.completion_tokens = 0
        self._cost_nano = 0

    def reckon(self, prompt_chars: int) -> None:
        """Its prompt, if nobody has yet."""
        self.prompt_tokens = self.prompt_tokens or -(-prompt_chars // CHARS_PER_TOKEN)

    @property
    def tokens(self) -> int:
        """Taken, or kept for it while it runs."""
        return self.prompt_tokens + (self._most() if self.open else self.completion_tokens)

    @property
    def cost_nano(self) -> int:
        """Of the same, in nano-USD; nothing, if nobody knows the price."""
        if self._cost_nano is not None:
            return self._cost_nano
        if self.price is None:
            return 0
        written = self._most() if self.open else self.completion_tokens
        return self.price.most_nano(self.prompt_tokens, written) if self.open else self._as_read_nano()

    def _as_read_nano(self) -> int:
        assert self.price is not None
        return self.price.cost_nano(Tokens(self.prompt_tokens, written=self.completion_tokens))

    @property
    def cost_usd(self) -> float:
        """The same in USD."""
        return self.cost_nano / NANO

    @property
    def priced(self) -> bool:
        """Whether anybody knows what it costs."""
        return self.price is not None or self._cost_nano is not None

    def _most(self) -> int:
        return max(self._kept, self.completion_tokens)


def tokens_of(usage: Usage) -> Tokens:
    """What a usage says, apart by what it costs."""
    cached, stored, long = usage.cached_tokens, usage.stored_tokens, usage.stored_long_tokens
    return Tokens(max(0, usage.prompt_tokens - cached - stored - long), cached, stored, long, usage.completion_tokens)


class Ledger:
    """now: seconds that never run backwards. meter: None where the machine tells no energy. allowance: of the client, if it
    has one. account: what it may spend; None: as much as it takes.
    """

    def __init__(
        self,
        limits: Budget,
        now: Callable[[], float],
        meter: EnergyMeter | None,
        allowance: Allowance | None = None,
        account: Account | None = None,
    ) -> None:
        self._allowance = allowance
        self._account = account
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

    def counts_tokens(self, provider: str | None = None) -> bool:
        """Whether a call's prompt has to be reckoned. provider: of whom it is asked, beyond this machine."""
        if provider is not None and self._account is not None and self._account.limited(provider):
            return True
        day = self._allowance.limits if self._allowance else PerDay()
        limits = (self.limits.tokens, self.limits.cost_usd, day.tokens, day.cost_usd)
        return any(limit is not None for limit in limits)

    @property
    def spare(self) -> bool:
        """Whether another call may be made behind the next one."""
        return len(self.entries) + 1 < self.limits.calls

    def enter(
        self,
        price: Price | None,
        prompt_chars: int,
        wanted: int | None,
        whom: Whom | None = None,
    ) -> Entry:
        """Before a call. wanted: how long its answer shall be at most. whom: who is asked, if it is beyond this machine.
        Raises BudgetSpent, DailyLimit, SpendingLimit if nothing useful is left.
        """
        if len(self.entries) >= self.limits.calls:
            raise self.over("calls")
        self.look()
        prompt = -(-prompt_chars // CHARS_PER_TOKEN)
        room = min(
            self._room_of_tokens(prompt),
            self._room_of_money(prompt, price),
            self._room_of_day(prompt, price),
            self._room_of_purses(prompt, price, whom),
        )
        most, kept = _most_and_kept(room, wanted)
        entry = Entry(price, prompt, most, kept)
        self.entries.append(entry)
        if self._allowance is not None:
            self._allowance.take(entry)
        if self._account is not None and whom is not None:
            self._account.take(len(self.entries) - 1, whom, entry)
        return entry

    def looked_at(self, provider: str) -> None:
        """A call beyond this machine has ended: whoever wants to know of limits that came near is told."""
        if self._account is not None:
            self._account.look(provider)

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
        spent = sum(entry.cost_nano for entry in self.entries)
        room = _paid_by(round(self.limits.cost_usd * NANO) - spent, prompt, price)
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
        paid = _paid_by(round(self._allowance.cost_left_usd * NANO), prompt, price)
        if paid is None:
            raise self._over_day(self._allowance, "cost_usd")
        return min(tokens, paid)

    def _room_of_purses(self, prompt: int, price: Price | None, whom: Whom | None) -> float:
        """Of what may be spent."""
        if self._account is None or whom is None or not self._account.limited(whom.provider):
            return float("inf")
        room = room_of(self._account, whom, prompt, price)
        if room is None:
            over = self._account.over(whom.provider)
            if over.limit not in self.spent:
                self.spent.append(over.limit)
            raise over
        return room

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
        return sum(entry.cost_nano for entry in self.entries) / NANO

    @property
    def unpriced(self) -> int:
        """Calls whose price nobody knows."""
        return sum(not entry.priced for entry in self.entries)


def _paid_by(left_nano: int, prompt: int, price: Price | None) -> float | None:
    """How long an answer may be for so much money; None if that is of no use, or nobody knows the price."""
    return None if price is None else paid_by(left_nano, prompt, price, LEAST_TOKENS)


def room_of(account: Account, whom: Whom, prompt: int, price: Price | None) -> float | None:
    """How long an answer may be for what may be spent there; None if that is of no use, or nobody knows the price."""
    left = account.left_nano(whom.provider)
    if price is None:
        return float("inf") if left == float("inf") or (whom.unpriced and left > 0) else None
    return paid_by(left, prompt, price, LEAST_TOKENS)


def _most_and_kept(room: float, wanted: int | None) -> tuple[int | None, int]:
    """How long an answer is told to be at most, and how many tokens are kept for it."""
    if wanted is not None:
        most = wanted if room == float("inf") else int(min(room, wanted))
        return most, most
    if room == float("inf"):
        return None, 0
    if room >= MOST_TOKENS:
        return None, MOST_TOKENS
    most = int(min(room, USUAL_TOKENS))
    return most, most

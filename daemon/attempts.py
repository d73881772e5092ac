"""One attempt while it runs, and what it leaves behind: its line in the record, in the ledger, and in a model's speeds."""

from __future__ import annotations

from daemon.decision.rules import Candidate
from daemon.grounds import Grounds
from daemon.ledger import Entry
from daemon.loopers.base import BESIDE, Errand
from daemon.rates import Rates
from daemon.wire import Attempt, Outcome
from providers.cleared import Place
from providers.contract import Finish, TextDelta, Usage


class Notes:
    """One attempt while it runs."""

    def __init__(
        self, candidate: Candidate, place: Place, began: float, errand: Errand | None, entry: Entry, hedge: bool
    ) -> None:
        self.candidate = candidate
        self.hedge = hedge
        self.place = place
        self.errand = errand
        self.entry = entry
        self.began = began
        self.ended: float | None = None
        self.first: float | None = None
        self.finish: Finish | None = None
        self.outcome: Outcome = "cancelled"
        self.error: str | None = None
        self.engine: str | None = None
        self.device: str | None = None
        self.said: list[TextDelta] = []
        """Of a draft, to be judged when it is whole."""
        self.prompt_tokens = 0

    def count(self, prompt_tokens: int) -> None:
        """How long the prompt is, before it is read."""
        self.prompt_tokens = prompt_tokens

    def finish_with(self, finish: Finish, now: float) -> None:
        """Its last words have come. When it ended is this, not when whoever holds it lets go of it."""
        self.finish, self.outcome, self.ended = finish, "answered", now

    @property
    def beside(self) -> bool:
        """Whether it is about a draft, and nothing of it is in the client's answer."""
        return self.errand is not None and self.errand.role in BESIDE

    def attempt(self, now: float) -> Attempt:
        """As the record shows it."""
        usage = self.finish.usage if self.finish else Usage(0, 0)
        return Attempt(
            provider=self.candidate.provider,
            model=self.candidate.model,
            outcome=self.outcome,
            took_ms=((self.ended if self.ended is not None else now) - self.began) * 1000,
            first_token_ms=(self.first - self.began) * 1000 if self.first is not None else None,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            reason=self.finish.reason if self.finish else None,
            error=self.error,
            engine=self.engine,
            device=self.device,
            place=self.place.value,
            cost_usd=round(self.entry.cost_usd, 9) if self.entry.price is not None else None,
            role=self.errand.role if self.errand else "hedge" if self.hedge else None,
        )

    def end(self, now: float, grounds: Grounds) -> None:
        """It is over, however."""
        self.ended = now if self.ended is None else self.ended
        usage = self.finish.usage if self.finish else None
        cost = grounds.cost(self.candidate, self.place, usage) if usage is not None else None
        self.entry.close(usage, cost.usd if cost is not None else None)


def learn(rates: Rates, notes: Notes) -> None:
    """What an attempt shows of a model's speed, however it ended. Most drafts are ended before they are over."""
    assert notes.ended is not None
    if notes.first is not None:
        rates.read(notes.prompt_tokens, notes.first - notes.began)
        if notes.finish:
            rates.wrote(notes.finish.usage, notes.ended - notes.first)
    elif notes.outcome == "cancelled":
        rates.given_up(notes.prompt_tokens, notes.ended - notes.began)

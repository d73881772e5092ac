"""One attempt while it runs, and what it leaves behind: its line in the record, in the ledger, and in a model's speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from daemon.decision.rules import Candidate
from daemon.grounds import Grounds
from daemon.ledger import Entry
from daemon.loopers.base import BESIDE, Errand
from daemon.rates import Rates
from daemon.wire import CURVE_POINTS, Attempt, Outcome, PricedBy, Receipt
from providers.cleared import Place
from providers.contract import Finish, Logprob, TextDelta, Usage

LEAST: Final = -99.0
"""Of a curve: an engine may say that a token was impossible, and JSON has no word for minus infinity."""


_REFUSED: Final = frozenset(
    {
        "Overloaded",
        "RateLimited",
        "KeyRejected",
        "NoCredit",
        "ContextTooLong",
        "Unsupported",
        "NotCleared",
        "NotWitnessed",
    }
)
"""Errors of a provider's that is paid for nothing then, in a stream too."""


class Notes:
    """One attempt while it runs."""

    def __init__(
        self,
        candidate: Candidate,
        place: Place,
        began: float,
        errand: Errand | None,
        entry: Entry,
        hedge: bool,
        request_began: float,
    ) -> None:
        """began, request_began: of the monotonic clock."""
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
        self.receipt: Receipt | None = None
        """Of what left for it."""
        self.priced_by: PricedBy | None = None
        self.said: list[TextDelta] = []
        """Of a draft, to be judged when it is whole."""
        self.prompt_tokens = 0
        self.credential: str | None = None
        """Where the provider's key was kept that went with it."""
        self._began_ms = (began - request_began) * 1000
        self._logprobs: list[float] = []

    def count(self, prompt_tokens: int) -> None:
        """How long the prompt is, before it is read."""
        self.prompt_tokens = prompt_tokens

    def measure(self, tokens: tuple[Logprob, ...]) -> None:
        """How sure a draft was of its next tokens."""
        self._logprobs += (token.logprob for token in tokens)

    def finish_with(self, finish: Finish, now: float) -> None:
        """Its last words have come. When it ended is this, not when whoever holds it lets go of it."""
        self.finish, self.outcome, self.ended = finish, "answered", now

    @property
    def drafts(self) -> bool:
        """Whether it is a draft, to be judged."""
        return self.candidate.threshold is not None and self.errand is None

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
            cost_usd=self.entry.cost_usd if self.entry.priced else None,
            role=self.errand.role if self.errand else "hedge" if self.hedge else None,
            began_ms=round(self._began_ms, 3),
            curve=curve(self._logprobs),
            curve_tokens=len(self._logprobs),
            cached_tokens=usage.cached_tokens,
            credential=self.credential,
            stored_tokens=usage.stored_tokens,
            stored_long_tokens=usage.stored_long_tokens,
            priced_by=self.priced_by,
            reckoned=self._reckoned,
            reckoned_prompt=self.entry.prompt_tokens if self._reckoned else 0,
            reckoned_completion=self.entry.completion_tokens if self._reckoned else 0,
        )

    @property
    def _reckoned(self) -> bool:
        return self.place is not Place.DEVICE and self.entry.reckoned

    def end(self, now: float, grounds: Grounds, prompt_chars: Callable[[], int] = lambda: 0) -> None:
        """It is over, however. prompt_chars: of the request, asked for if nobody told what it took."""
        self.ended = now if self.ended is None else self.ended
        usage = self.finish.usage if self.finish else None
        cost = grounds.cost(self.candidate, self.place, usage) if usage is not None else None
        if cost is not None:
            self.priced_by = cost.priced_by
        if self.place is not Place.DEVICE and not (usage and (usage.prompt_tokens or usage.completion_tokens)):
            if cost is None and self._took_nothing:
                self.entry.never_was()
                return
            self.entry.reckon(prompt_chars())
            if cost is None:
                self.priced_by = grounds.priced_by(self.candidate, self.place)
        self.entry.close(usage, cost.usd if cost is not None else None)

    @property
    def _took_nothing(self) -> bool:
        """Whether nothing was sent for it, or it was refused before anything of it was answered."""
        if self.first is not None:
            return False
        if self.receipt is None or self.receipt.outcome == "unsent" or self.error in _REFUSED:
            return True
        return self.receipt.status is not None and self.receipt.status >= 400


def curve(logprobs: Sequence[float]) -> tuple[float, ...]:
    """At most CURVE_POINTS numbers that stand for all: each the least of as many neighbours, so that no dip is lost."""
    count = len(logprobs)
    points = min(count, CURVE_POINTS)
    ends = [number * count // points for number in range(points + 1)] if points else []
    return tuple(round(max(LEAST, min(logprobs[begin:end])), 3) for begin, end in pairwise(ends))


def learn(rates: Rates, notes: Notes) -> None:
    """What an attempt shows of a model's speed, however it ended. Most drafts are ended before they are over."""
    assert notes.ended is not None
    if notes.first is not None:
        rates.read(notes.prompt_tokens, notes.first - notes.began)
        if notes.finish:
            rates.wrote(notes.finish.usage, notes.ended - notes.first)
    elif notes.outcome == "cancelled":
        rates.given_up(notes.prompt_tokens, notes.ended - notes.began)

"""ask: attempts to get an answer, each timed and written down, with the one retry loop.

A local attempt waits for its turn and is never repeated here. A cloud attempt goes through the boundary, and is repeated
while nothing of its answer was passed on, for what passes by itself: a full or unreachable provider. How long to wait is the
provider's word, up to RETRY_WITHIN_S in all; what asks for more is passed on as an error with that word in it. Tool calls of
all candidates are held until they can be run (`tool_turns.py`): an attempt whose call can't has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon import local
from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance, Reach
from daemon.boundary.papers import Papers
from daemon.boundary.restore import restored
from daemon.boundary.signed import signatures
from daemon.boundary.switch import Switch
from daemon.boundary.vault import Vault
from daemon.clock import Clock
from daemon.decision.rules import LOCAL, Candidate
from daemon.errors import Private, Refused
from daemon.local_model import LocalModel
from daemon.loopers.measures import Measure
from daemon.pool import Pool
from daemon.receipts.store import About, Cost, Receipts
from daemon.tool_turns import ToolTurns
from daemon.wire import Attempt, Egress, Ledger, Outcome, Receipt
from providers import prices
from providers.cleared import Place, Provider
from providers.contract import (
    Deltas,
    Finish,
    Overloaded,
    Progress,
    ProviderError,
    Request,
    Thinking,
    Unreachable,
    Usage,
)
from providers.places import place_of_model

ANONYMOUS: Final = "anonymous"
RETRIES: Final = 2
RETRY_WITHIN_S: Final = 10.0
BACK_OFF_S: Final = (0.5, 2.0)
"""Before the first and the second repetition, where the provider names no time."""


class Price(Struct, frozen=True):
    """Of a model, in USD for a million tokens."""

    prompt_per_1m: float
    completion_per_1m: float


class Grounds(Struct, frozen=True):
    """Why a request may leave: for its receipts. rule: as `wire.Receipt` has it. reduced: by what less is told to
    whoever may have no more. prices: the recipe's, by `PROVIDER/MODEL` or model.
    """

    rule: str
    reduced: str | None = None
    prices: Mapping[str, Price] = {}

    def cost(self, candidate: Candidate, place: Place, usage: Usage) -> Cost | None:
        """What an answer cost, by the recipe if it names a price, else by the makers' lists if it came from a cloud; None if
        neither has one, or nobody counted.
        """
        if not usage.prompt_tokens and not usage.completion_tokens:
            return None
        if (own := self.prices.get(candidate.name) or self.prices.get(candidate.model)) is not None:
            spent = usage.prompt_tokens * own.prompt_per_1m + usage.completion_tokens * own.completion_per_1m
            return Cost(round(spent / 1e6, 9), "recipe")
        listed = prices.price(candidate.model) if place is Place.CLOUD else None
        if listed is None:
            return None
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        tokens = prices.Tokens(usage.prompt_tokens - cached, cached, written=usage.completion_tokens)
        return Cost(round(listed.cost_usd(tokens), 9), "list", prices.AS_OF)


class _Notes:
    """One attempt while it runs."""

    def __init__(self, candidate: Candidate, place: Place, began: float) -> None:
        self.candidate = candidate
        self.place = place
        self.began = began
        self.ended: float | None = None
        self.first: float | None = None
        self.finish: Finish | None = None
        self.outcome: Outcome = "cancelled"
        self.error: str | None = None
        self.engine: str | None = None
        self.device: str | None = None

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
        )


class Calls:
    """All attempts for one request; what a looper knows as `ask`."""

    def __init__(
        self,
        request: Request,
        papers: Papers,
        pool: Pool,
        providers: Mapping[str, Provider],
        vault: Vault,
        switch: Switch,
        clock: Clock,
        patience_s: float,
        receipts: Receipts,
        grounds: Grounds,
    ) -> None:
        """patience_s: how long a candidate that others stand behind may let itself be waited for."""
        self._request = request
        self._papers = papers
        self._pool = pool
        self._providers = providers
        self._vault = vault
        self._switch = switch
        self._clock = clock
        self._patience_s = patience_s
        self._receipts = receipts
        self._grounds = grounds
        self._notes: list[_Notes] = []
        self._measures: dict[Candidate, tuple[Measure | None, bool]] = {}
        self.receipts: dict[int, Receipt] = {}
        """By number, in order."""
        self.egress: Egress = "none"
        self.waited_ms = 0.0
        self.answered_by: Candidate | None = None
        """Whose deltas are being passed on."""
        self.aside: tuple[str, ...] = ()
        """Fields, by neutral name, that who answers leaves aside."""

    # -- for loopers

    def __call__(self, candidate: Candidate) -> Deltas:
        """Ask one candidate. Raises ProviderError, NoCandidate."""
        return self._local(candidate) if candidate.provider == LOCAL else self._cloud(candidate)

    def now(self) -> float:
        """Seconds that never run backwards."""
        return self._clock.monotonic()

    def judged(self, candidate: Candidate, measure: Measure | None, passed: bool) -> None:
        """Keep how sure a draft was."""
        self._measures[candidate] = (measure, passed)

    def chosen(self, candidate: Candidate) -> None:
        """Keep whose draft is released."""
        self.answered_by = candidate

    # -- for the record

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """In order, with their confidence where they were judged."""
        now = self._clock.monotonic()
        return tuple(self._with_measure(notes.candidate, notes.attempt(now)) for notes in self._notes)

    @property
    def confidence(self) -> str | None:
        """Of the answer that is passed on: a score, `below`, or None if it was not judged."""
        if self.answered_by is None or self.answered_by not in self._measures:
            return None
        measure, passed = self._measures[self.answered_by]
        return f"{measure.score:.2f}" if measure and passed else "below"

    @property
    def ledger(self) -> Ledger:
        """What it cost so far."""
        attempts = self.attempts
        return Ledger(
            calls=len(attempts),
            prompt_tokens=sum(attempt.prompt_tokens for attempt in attempts),
            completion_tokens=sum(attempt.completion_tokens for attempt in attempts),
        )

    def _with_measure(self, candidate: Candidate, attempt: Attempt) -> Attempt:
        if candidate not in self._measures:
            return attempt
        measure, passed = self._measures[candidate]
        if measure is None:
            return replace(attempt, passed=passed, threshold=candidate.threshold)
        return replace(
            attempt,
            passed=passed,
            threshold=candidate.threshold,
            confidence=round(measure.score, 4),
            mean_logprob=round(measure.mean, 4),
            min_logprob=round(measure.minimum, 4),
        )

    # -- one attempt

    async def _local(self, candidate: Candidate) -> Deltas:
        model = self._pool.find(candidate.model)
        queued = self._clock.monotonic()
        request = self._wanted(self._request, candidate)
        async with model.lease(self._request.client or self._request.session or ANONYMOUS) as lease:
            async for stage, fraction in lease.stages(self._until(candidate)):
                yield Progress(stage, fraction)
            worker = lease.worker
            notes = self._begin(candidate, Place.DEVICE)
            self.waited_ms += (notes.began - queued) * 1000
            assert worker.ready
            notes.engine, notes.device = model.ref.engine, worker.ready.device
            turns = ToolTurns(self._request)
            try:
                self.aside = local.not_honoured(self._request, worker.ready.capabilities) + self._keep(model)
                async with aclosing(local.stream(worker, request, lease.leave)) as deltas:
                    async for delta in deltas:
                        for ready in turns.ready(delta):
                            self._note(notes, ready)
                            yield ready
                if notes.finish and notes.first is not None:
                    model.learn(notes.finish.usage, notes.first - notes.began, self._clock.monotonic() - notes.first)
            except ProviderError as problem:
                notes.outcome, notes.error = "failed", type(problem).__name__
                raise
            finally:
                notes.ended = self._clock.monotonic()

    def _keep(self, model: LocalModel) -> tuple[str, ...]:
        """Have it kept as long as the client wants, and no longer than the user does; the field, if that is shorter."""
        wanted = model.asked_keep_s = self._request.keep_s
        return ("keep_s",) if wanted is not None and model.keep_s != wanted else ()

    def _until(self, candidate: Candidate) -> float | None:
        """How long it may stand in line, in the event loop's time: not beyond our patience if others can be asked."""
        waits = []
        if self._request.deadline is not None:
            waits.append(self._request.deadline - self._clock.monotonic())
        if candidate.threshold is not None:
            waits.append(self._patience_s)
        return asyncio.get_running_loop().time() + min(waits) if waits else None

    async def _cloud(self, candidate: Candidate) -> Deltas:
        provider = self._providers[candidate.provider]
        place = place_of_model(provider.place, candidate.model)
        kept = ("keep_s",) if self._request.keep_s is not None else ()
        known = self._vault.signed.given_back(self._request, self._request, candidate.provider)
        unsigned = ("thoughts",) if signatures(known) < signatures(self._request) else ()
        self.aside = tuple(dict.fromkeys((*provider.not_honoured(known), *unsigned, *kept)))
        beyond = place is not Place.DEVICE
        clearance = self._papers.clearances.of(candidate.provider)
        if beyond:
            clearance = await self._papers.clearance(candidate.provider, candidate.model)
        deadline = self._clock.monotonic() + RETRY_WITHIN_S
        for repetition in range(RETRIES + 1):
            notes, turns = self._begin(candidate, place), ToolTurns(self._request)
            try:
                passage = self._cleared(candidate, clearance, place)
                async with aclosing(self._once(provider, notes, passage, clearance)) as deltas:
                    async for delta in deltas:
                        for ready in turns.ready(delta):
                            settled = await self._papers.carried.settled(
                                ready, passage, candidate.provider, candidate.model
                            )
                            self._note(notes, settled)
                            yield settled
                return
            except ProviderError as problem:
                notes.outcome, notes.error = "failed", type(problem).__name__
                wait_s = self._wait_s(problem, repetition, place)
                if notes.first is not None or wait_s is None or self._clock.monotonic() + wait_s > deadline:
                    raise
            finally:
                notes.ended = self._clock.monotonic()
            await asyncio.sleep(wait_s)

    def _wait_s(self, problem: ProviderError, repetition: int, place: Place) -> float | None:
        """How long before it is asked again; None if asking again is no use.

        A server on this machine that isn't there now is not started within a second or two: the next candidate is asked.
        """
        if repetition == RETRIES or not isinstance(problem, Overloaded | Unreachable):
            return None
        if place is Place.DEVICE and isinstance(problem, Unreachable):
            return None
        return problem.retry_after_s if problem.retry_after_s is not None else BACK_OFF_S[repetition]

    def _wanted(self, request: Request, candidate: Candidate) -> Request:
        """A request for one candidate: it thinks as much as it shall, and a draft is judged by its log-probabilities."""
        if candidate.thinks is not None or candidate.effort is not None:
            request = replace(request, thinking=Thinking(candidate.thinks, candidate.effort))
        if candidate.threshold is None or request.sampling.logprobs:
            return request
        return replace(request, sampling=replace(request.sampling, logprobs=True))

    def _less(self, candidate: Candidate, place: Place) -> Request | None:
        """The request said with less, if this is who gets that one."""
        return None if place is Place.DEVICE else self._papers.less(candidate.provider)

    def _cleared(self, candidate: Candidate, clearance: Clearance, place: Place) -> Passage:
        """For one candidate, now. Raises Private if it can't leave after all: others may answer then."""
        try:
            if place is not Place.DEVICE:
                self._switch.require_off("this request")
            request = self._less(candidate, place) or self._request
            return clear(self._wanted(request, candidate), clearance, place, self._vault, candidate.provider)
        except Refused as error:
            raise Private(str(error)) from error

    def _once(self, provider: Provider, notes: _Notes, passage: Passage, clearance: Clearance) -> Deltas:
        candidate = notes.candidate
        about = About(
            model=candidate.model,
            record=self._request.id,
            masks=passage.cleared.masks,
            rule=self._grounds.rule,
            policy=f"{clearance.policy}: {clearance.reach}",
            reduced=self._grounds.reduced if self._less(candidate, notes.place) else None,
            cost=lambda: self._grounds.cost(candidate, notes.place, notes.finish.usage) if notes.finish else None,
        )
        crossed = self._receipts.witness(about, lambda receipt: self._crossed(receipt, clearance.reach))
        deltas = provider.stream(passage.cleared, candidate.model, crossed)
        keep = partial(self._vault.signed.keep, self._request, candidate.provider)
        return restored(deltas, passage, keep)

    def _crossed(self, receipt: Receipt, reach: Reach) -> None:
        self.receipts[receipt.number] = receipt
        if receipt.place != Place.DEVICE and self.egress != "open":
            changed = reach == "masked" or receipt.reduced is not None
            self.egress = "masked" if changed else "open"

    def _begin(self, candidate: Candidate, place: Place) -> _Notes:
        notes = _Notes(candidate, place, self._clock.monotonic())
        self._notes.append(notes)
        return notes

    def _note(self, notes: _Notes, delta: object) -> None:
        if isinstance(delta, Progress):
            return
        self.answered_by = notes.candidate
        if notes.first is None:
            notes.first = self._clock.monotonic()
        if isinstance(delta, Finish):
            notes.finish, notes.outcome = delta, "answered"

"""ask: attempts to get an answer, each timed and written down, with the one retry loop.

A local attempt waits for its turn and is never repeated here. A cloud attempt goes through the boundary, and is repeated
while nothing of its answer was passed on, for what passes by itself: a full or unreachable provider. How long to wait is the
provider's word, up to RETRY_WITHIN_S in all; what asks for more is passed on as an error with that word in it. Tool calls of
all candidates are held until they can be run (`tool_turns.py`): an attempt whose call can't has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import timedelta
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon import local
from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance, Reach, narrower
from daemon.boundary.papers import Papers
from daemon.boundary.restore import restored
from daemon.boundary.signed import signatures
from daemon.boundary.switch import Switch
from daemon.boundary.vault import Vault
from daemon.clock import Clock
from daemon.confidence.collapse import Collapse, collapse
from daemon.confidence.features import Generation, features
from daemon.confidence.further import Further
from daemon.confidence.judgement import Judgement, Known, Sought, for_calls, judge, judge_calls, verified
from daemon.confidence.profiles import Profiles
from daemon.confidence.recovery import Outlook, outlook
from daemon.confidence.self_check import CHECKS, sureness
from daemon.confidence.upstream import MARGIN_TOP
from daemon.decision.rules import LOCAL, Candidate
from daemon.errors import BudgetSpent, Private, Refused
from daemon.flows import KEPT_S, Flows
from daemon.ledger import FREE, Entry, Ledger, Price
from daemon.local_model import LocalModel
from daemon.loopers.base import BESIDE, Errand
from daemon.loopers.errands import request_for
from daemon.pool import Pool
from daemon.rates import Rates
from daemon.receipts.store import About, Cost, Receipts
from daemon.signals.entailment import Entailment
from daemon.tool_turns import ToolTurns
from daemon.tools.ranks import doubt
from daemon.tools.weighing import Weighed, Weighing
from daemon.wire import Attempt, Egress, Outcome, Receipt
from daemon.wire import Ledger as Account
from daemon.worker_process import WorkerProcess
from edge_models.engines.base import EngineError
from providers import prices
from providers.cleared import Place, Provider
from providers.contract import (
    BadAnswer,
    Delta,
    Deltas,
    Finish,
    Overloaded,
    Progress,
    ProviderError,
    Request,
    TextDelta,
    Thinking,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Unreachable,
    Usage,
)
from providers.places import place_of_model
from providers.texts import fields

ANONYMOUS: Final = "anonymous"
RETRIES: Final = 2
RETRY_WITHIN_S: Final = 10.0
BACK_OFF_S: Final = (0.5, 2.0)
"""Before the first and the second repetition, where the provider names no time."""


_NO_DRAFT: Final = Sought(), Generation((), ""), Known()


class Grounds(Struct, frozen=True):
    """Why a request may leave: for its receipts. rule: as `wire.Receipt` has it. reduced: by what less is told to
    whoever may have no more. prices: the recipe's, by `PROVIDER/MODEL` or model.
    """

    rule: str
    reduced: str | None = None
    prices: Mapping[str, Price] = {}

    def price(self, candidate: Candidate, place: Place) -> Price | None:
        """The recipe's, else the list price of a model in the cloud; nothing for machines of the user's. None: unknown."""
        named = self.prices.get(candidate.name) or self.prices.get(candidate.model)
        if named is not None:
            return named
        if place is not Place.CLOUD:
            return FREE
        listed = prices.price(candidate.model)
        return Price(listed.read, listed.written) if listed else None

    def cost(self, candidate: Candidate, place: Place, usage: Usage) -> Cost | None:
        """What an answer cost, by the recipe if it names a price, else by the makers' lists if it came from a cloud; None if
        neither has one, or nobody counted.
        """
        if not usage.prompt_tokens and not usage.completion_tokens:
            return None
        if (own := self.prices.get(candidate.name) or self.prices.get(candidate.model)) is not None:
            return Cost(round(own.cost_usd(usage.prompt_tokens, usage.completion_tokens), 9), "recipe")
        listed = prices.price(candidate.model) if place is Place.CLOUD else None
        if listed is None:
            return None
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        tokens = prices.Tokens(usage.prompt_tokens - cached, cached, written=usage.completion_tokens)
        return Cost(round(listed.cost_usd(tokens), 9), "list", prices.AS_OF)


class _Notes:
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
        self.ended = now
        usage = self.finish.usage if self.finish else None
        cost = grounds.cost(self.candidate, self.place, usage) if usage is not None else None
        self.entry.close(usage, cost.usd if cost is not None else None)


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
        profiles: Profiles,
        ledger: Ledger,
        cleared: Callable[[Errand, str], Awaitable[Clearance]],
        flows: Flows,
        entailment: Entailment,
        hedges: bool,
        weighing: Weighing,
    ) -> None:
        """patience_s: how long a candidate that others stand behind may let itself be waited for. cleared: how far an
        errand's words may travel to a provider, behind the request that it gets. hedges: whether the user allows calls that
        may turn out not to have been needed.
        """
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
        self._profiles = profiles
        self._ledger = ledger
        self._cleared_with = cleared
        self._flows = flows
        self._entailment = entailment
        self._hedges = hedges
        self._weighing = weighing
        self._weighed: dict[str, Weighed] = {}
        """What drafts call, by candidate's name."""
        self._keys: dict[str, str] = {}
        """The sides of drafts and of their second keys, by candidate's name and errand's label."""
        self._notes: list[_Notes] = []
        self._ratings: dict[str, tuple[str | None, float | None]] = {}
        self.notes: list[str] = []
        """What loopers have to say of how it went, as codes."""
        self._judgements: dict[str, Judgement | None] = {}
        """By candidate's name."""
        self._drafts: dict[str, tuple[Sought, Generation, Known]] = {}
        """What was judged last, and by what, by candidate's name."""
        self._whole: tuple[str, Judgement, Collapse | None] | None = None
        """Whose answer was judged anew when it was there, and how it turned out."""
        self._contexts: dict[str, tuple[WorkerProcess, int]] = {}
        """Of drafts that have ended, by candidate's name: who has it, and under which number."""
        self.receipts: dict[int, Receipt] = {}
        """By number, in order."""
        self.egress: Egress = "none"
        self.waited_ms = 0.0
        self.answered_by: Candidate | None = None
        """Whose deltas are being passed on."""
        self.aside: tuple[str, ...] = ()
        """Fields, by neutral name, that who answers leaves aside."""

    # -- for loopers

    def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        """Ask one candidate. Raises ProviderError, NoCandidate, BudgetSpent."""
        begun: list[_Notes] = []
        if candidate.provider == LOCAL:
            return self._in_time(self._local(candidate, errand, begun), begun)
        return self._in_time(self._cloud(candidate, errand, begun), begun)

    def _in_time(self, deltas: Deltas, begun: list[_Notes]) -> Deltas:
        return self._while_it_lasts(deltas, begun) if self._ledger.runs_out else deltas

    async def _while_it_lasts(self, deltas: Deltas, begun: list[_Notes]) -> Deltas:
        """As long as there is time and energy. What was said until then is the answer, cut."""
        ends_at = self._ledger.ends_at
        said: Delta | None = None
        async with aclosing(deltas):
            while True:
                try:
                    async with asyncio.timeout_at(self._loop_time(ends_at)):
                        delta = await anext(deltas)
                    if said is not None:
                        self._ledger.look_again()
                except StopAsyncIteration:
                    return
                except (TimeoutError, BudgetSpent) as problem:
                    spent = problem if isinstance(problem, BudgetSpent) else self._ledger.over("wall_s")
                    if begun:
                        begun[-1].error = type(spent).__name__
                    if said is None:
                        raise spent from None
                    break
                if not isinstance(delta, Progress):
                    said = delta
                yield delta
        if said is not None and not isinstance(said, Finish):
            cut = Finish("length", Usage(begun[-1].entry.prompt_tokens, begun[-1].entry.completion_tokens))
            begun[-1].finish, begun[-1].outcome = cut, "answered"
            yield cut

    def _loop_time(self, ends_at: float | None) -> float | None:
        if ends_at is None:
            return None
        return asyncio.get_running_loop().time() + max(0.0, ends_at - self._clock.monotonic())

    def now(self) -> float:
        """Seconds that never run backwards."""
        return self._clock.monotonic()

    def judge(
        self, candidate: Candidate, sought: Sought, draft: Generation, further: Further | None = None
    ) -> Judgement | None:
        """How sure a draft is, and how sure it has to be, by what is known of who wrote it. Kept for the record."""
        assert candidate.threshold is not None
        known = self._known(candidate)
        judgement = self._judged(candidate, sought, draft, known, further)
        self._judgements[candidate.name] = judgement
        self._drafts[candidate.name] = sought, draft, known
        return judgement

    def _judged(
        self, candidate: Candidate, sought: Sought, draft: Generation, known: Known, further: Further | None = None
    ) -> Judgement | None:
        assert candidate.threshold is not None
        weighed = self._weighed.get(candidate.name)
        seen = features(replace(draft, schema=None if weighed else self._request.schema))
        if seen is None:
            return None
        if weighed is None:
            return judge(seen, sought, candidate.threshold, known, further)
        return judge_calls(seen, sought, candidate.threshold, doubt(weighed.keys), weighed.barred is not None)

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        """What a candidate's calls would do, by the user's settings. Kept for `judge` and the record."""
        weighed = await asyncio.to_thread(self._weighing.weigh, self._request, calls)
        self._weighed[candidate.name] = weighed
        if weighed.barred is not None:
            self.noted(weighed.barred)
        return weighed

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        """Whether both call the same. Kept for the record."""
        same = self._weighing.same(self._request, calls, others)
        self._keys |= {candidate.name: "A", label: "A" if same else "B"}
        if not same:
            self.noted("keys-differ")
        return same

    def verified(
        self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None
    ) -> Judgement | None:
        """The same by what was said of it. Kept for the record."""
        assert candidate.threshold is not None
        weighed = self._weighed.get(candidate.name)
        seen = features(replace(draft, schema=None if weighed else self._request.schema))
        judgement = None if score is None else verified(score, sought, candidate.threshold, seen)
        if judgement and weighed:
            judgement = for_calls(judgement, doubt(weighed.keys), weighed.barred is not None)
        self._judgements[candidate.name] = judgement
        self._drafts[candidate.name] = sought, draft, Known()
        return judgement

    async def self_check(self, candidate: Candidate) -> float | None:
        """By the context that its engine has kept; None where nothing is kept, since it would not count."""
        context = self._contexts.get(candidate.name)
        if context is None:
            return None
        worker, id = context
        try:
            return sureness(await worker.score(id, CHECKS))
        except ProviderError:
            return None

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        """How a draft stands that is not over yet, by what is known of who writes it."""
        assert candidate.threshold is not None
        return outlook(beginning, sought, candidate.threshold, self._known(candidate))

    def _known(self, candidate: Candidate) -> Known:
        here = candidate.provider == LOCAL
        known = self._profiles.known(self._pool.find(candidate.model).ref) if here else Known()
        before = (judged for name, judged in self._judgements.items() if name != candidate.name)
        return replace(known, before=tuple(before))

    def hedge(self, candidate: Candidate) -> Deltas | None:
        """A provider's call beside a draft, if the user allows such and need not be asked."""
        if not self._hedges or candidate.provider == LOCAL:
            return None
        if self._papers.clearances.of(candidate.provider).asks:
            return None
        begun: list[_Notes] = []
        return self._in_time(self._cloud(candidate, None, begun, hedge=True), begun)

    def chosen(self, candidate: Candidate) -> None:
        """Keep whose draft is released."""
        self.answered_by = candidate

    def rated(self, label: str, side: str | None, score: float | None) -> None:
        """Keep how an errand's answer stood."""
        self._ratings[label] = (side, score)

    def noted(self, code: str) -> None:
        """Keep how it went, each code once."""
        if code not in self.notes:
            self.notes.append(code)

    def stands(self, text: str) -> bool:
        """In any of its messages, whoever's."""
        return any(text in field.text for field in fields(self._request) if field.path.startswith("messages["))

    def spent(self) -> Usage:
        """What all calls took so far."""
        return self._ledger.usage

    async def entailed(self, premise: str, hypothesis: str) -> dict[str, float] | None:
        """By the user's model for that."""
        if not self._entailment.chosen:
            return None
        try:
            return await asyncio.to_thread(self._entailment.judge, premise, hypothesis)
        except EngineError:
            return None

    async def keep(self, key: str, state: bytes) -> None:
        """Hold work until this client comes back."""
        await asyncio.to_thread(self._flows.keep, key, self._request.client, state)
        asyncio.get_running_loop().call_later(KEPT_S, self._flows.forget_older, timedelta(seconds=KEPT_S))

    async def take(self, key: str) -> bytes | None:
        """What was held for this client."""
        return await asyncio.to_thread(self._flows.take, key, self._request.client)

    # -- when the answer is there

    async def look_back(self, failure: ProviderError | None = None) -> None:
        """Judge all of an answer that was let begin by its beginning. failure: what it ended with, if it did."""
        if self.answered_by is None or self.answered_by.threshold is None:
            return
        begun = self._judgements.get(self.answered_by.name)
        if begun is None or not begun.passed:
            return
        notes = next(each for each in reversed(self._notes) if each.candidate == self.answered_by and not each.beside)
        sought, draft, known = self._drafts[self.answered_by.name]
        if draft.reason is not None:
            return
        if isinstance(failure, BadAnswer):  # a call that nobody could run
            self._whole = self.answered_by.name, begun, "unusable"
        elif notes.finish is not None:
            tokens = tuple(token for delta in notes.said for token in delta.logprobs)
            text = "".join(delta.text for delta in notes.said)
            made = Generation(tokens, text, draft.question, notes.finish.reason)
            whole = await asyncio.to_thread(self._judged, self.answered_by, sought, made, known)
            if whole is not None:
                self._whole = self.answered_by.name, whole, collapse(begun, whole)

    @property
    def collapse(self) -> Collapse | None:
        """How the answer turned out otherwise than its beginning; None: it didn't."""
        return self._whole[2] if self._whole else None

    @property
    def escalated_from(self) -> tuple[tuple[Attempt, str], ...]:
        """Drafts that were whole and not sure enough, with their words, if somebody beyond this machine answered instead."""
        own = (each for each in reversed(self._notes) if each.candidate == self.answered_by and not each.beside)
        given = next(own, None)
        if given is None or given.place is Place.DEVICE or given.errand is not None or given.outcome != "answered":
            return ()
        now = self._clock.monotonic()
        return tuple(
            (self._stood(notes, notes.attempt(now)), draft.text)
            for notes in self._notes
            if notes.errand is None and notes.candidate.threshold is not None
            if (draft := self._drafts.get(notes.candidate.name, _NO_DRAFT)[1]).reason == "stop" and draft.text
        )

    # -- for the record

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """In order, with their confidence where they were judged."""
        now = self._clock.monotonic()
        return tuple(self._stood(notes, notes.attempt(now)) for notes in self._notes)

    @property
    def dissent(self) -> tuple[int, int]:
        """How many of the answers that were compared did not say what most of them did, and how many those were."""
        sides = [side for side, _ in self._ratings.values() if side is not None]
        return sum(side != "A" for side in sides), len(sides)

    @property
    def confidence(self) -> str | None:
        """Of the answer that is passed on: a score, `below`, or None if it was not judged."""
        if self.answered_by is None or self.answered_by.name not in self._judgements:
            return None
        judgement = self._judgements[self.answered_by.name]
        return f"{judgement.score:.2f}" if judgement and judgement.passed else "below"

    @property
    def ledger(self) -> Account:
        """What it cost so far."""
        attempts = self.attempts
        lost = [notes for notes in self._notes if notes.hedge and notes.outcome != "answered"]
        return Account(
            calls=len(attempts),
            prompt_tokens=sum(attempt.prompt_tokens for attempt in attempts),
            completion_tokens=sum(attempt.completion_tokens for attempt in attempts),
            cost_usd=self._ledger.cost_usd,
            unpriced=self._ledger.unpriced,
            joules=self._ledger.joules,
            spent=tuple(self._ledger.spent),
            hedges=len(lost),
            hedges_cost_usd=round(sum(notes.entry.cost_usd for notes in lost), 9),
        )

    def _stood(self, notes: _Notes, attempt: Attempt) -> Attempt:
        if notes.errand is None:
            return self._with_judgement(notes.candidate, attempt)
        side, score = self._ratings.get(notes.errand.label, (self._keys.get(notes.errand.label), None))
        return replace(attempt, side=side, score=score)

    def _with_judgement(self, candidate: Candidate, attempt: Attempt) -> Attempt:
        if candidate.threshold is None or candidate.name not in self._judgements:
            return attempt
        judgement = self._judgements[candidate.name]
        if (weighed := self._weighed.get(candidate.name)) is not None:
            attempt = replace(
                attempt,
                side=self._keys.get(candidate.name),
                effect=weighed.effect,
                keys=weighed.keys,
                none_fits=round(weighed.none_fits, 4) if weighed.none_fits is not None else None,
            )
        if judgement is None:
            return replace(attempt, passed=False)
        whole, turned_out = None, None
        if self._whole is not None and self._whole[0] == candidate.name:
            whole, turned_out = round(self._whole[1].score, 4), self._whole[2]
        return replace(
            attempt,
            whole=whole,
            collapse=turned_out,
            passed=judgement.passed,
            threshold=round(judgement.required, 4),
            confidence=round(judgement.score, 4),
            standing=judgement.standing,
            family=judgement.family,
            setup=judgement.setup,
            odds=judgement.odds,
            mean_logprob=round(judgement.seen.answer_mean, 4) if judgement.seen else None,
            min_logprob=round(judgement.seen.answer_minimum, 4) if judgement.seen else None,
        )

    # -- one attempt

    async def _local(self, candidate: Candidate, errand: Errand | None, begun: list[_Notes]) -> Deltas:
        model = self._pool.find(candidate.model)
        queued = self._clock.monotonic()
        asked = self._request if errand is None else request_for(self._request, errand)
        async with model.lease(self._request.client or self._request.session or ANONYMOUS) as lease:
            async for stage, fraction in lease.stages(self._until(candidate)):
                yield Progress(stage, fraction)
            worker = lease.worker
            assert worker.ready
            capabilities = worker.ready.capabilities
            if errand is not None and errand.own and not capabilities.schema:
                asked = replace(asked, schema=None)
            wanted = self._wanted(asked, candidate, errand)
            request, notes = self._begin(candidate, Place.DEVICE, errand, wanted)
            begun.append(notes)
            self.waited_ms += (notes.began - queued) * 1000
            notes.engine, notes.device = model.ref.engine, worker.ready.device
            turns = ToolTurns(request)
            kept: Callable[[int], None] | None = None
            if errand is None and candidate.threshold is not None:
                await asyncio.to_thread(self._profiles.learn, model.ref)
                if capabilities.score and self._profiles.known(model.ref).asks:
                    kept = partial(self._keep_context, candidate, worker)
                if capabilities.logprobs == "top" and not self._request.sampling.logprobs:
                    request = replace(request, sampling=replace(request.sampling, top_logprobs=MARGIN_TOP))
            try:
                self._leave_aside(local.not_honoured(asked, capabilities) + self._keep(model), errand)
                async with aclosing(local.stream(worker, request, lease.leave, notes.count, kept)) as deltas:
                    async for delta in deltas:
                        for ready in turns.ready(delta):
                            self._note(notes, ready)
                            yield ready
            except ProviderError as problem:
                notes.outcome, notes.error = "failed", type(problem).__name__
                raise
            finally:
                if kept is not None:
                    self._contexts.pop(candidate.name, None)
                notes.end(self._clock.monotonic(), self._grounds)
                _learn(model.rates, notes)

    def _keep_context(self, candidate: Candidate, worker: WorkerProcess, id: int) -> None:
        self._contexts[candidate.name] = (worker, id)

    def _leave_aside(self, aside: tuple[str, ...], errand: Errand | None) -> None:
        """Fields that whoever answers leaves aside, and those that an errand takes from the client's question."""
        if errand is not None and errand.role in BESIDE:
            return  # nobody reads that answer
        taken = []
        if errand is not None and self._request.tools and not errand.tools:
            taken.append("tools")
        if errand is not None and self._request.sampling.choices != 1:
            taken.append("choices")
        if errand is not None and self._request.sampling.logprobs:
            taken.append("logprobs")
        self.aside = (*aside, *taken)

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

    async def _cloud(
        self, candidate: Candidate, errand: Errand | None, begun: list[_Notes], hedge: bool = False
    ) -> Deltas:
        provider = self._providers[candidate.provider]
        place = place_of_model(provider.place, candidate.model)
        kept = ("keep_s",) if self._request.keep_s is not None else ()
        beyond = place is not Place.DEVICE
        clearance = self._papers.clearances.of(candidate.provider)
        if beyond:
            clearance = await self._papers.clearance(candidate.provider, candidate.model)
        asked = self._less(candidate, place) or self._request
        if errand is not None:
            asked = request_for(asked, errand)
            if errand.own:
                asked = replace(asked, schema=None)  # not every server can be held to one, and some refuse it
            if beyond and errand.words:
                clearance = narrower(clearance, await self._cleared_with(errand, candidate.provider))
                if clearance.reach == "device":
                    raise Private("what other models answered to this request may not leave this machine")
        known = self._vault.signed.given_back(asked, asked, candidate.provider)
        unsigned = ("thoughts",) if signatures(known) < signatures(asked) else ()
        self._leave_aside(tuple(dict.fromkeys((*provider.not_honoured(known), *unsigned, *kept))), errand)
        wanted = self._wanted(asked, candidate, errand)
        deadline = self._clock.monotonic() + RETRY_WITHIN_S
        for repetition in range(RETRIES + 1):
            request, notes = self._begin(candidate, place, errand, wanted, hedge)
            begun.append(notes)
            turns = ToolTurns(request)
            try:
                passage = self._cleared(request, candidate, clearance, place)
                async with aclosing(self._once(provider, notes, passage, clearance)) as deltas:
                    async for delta in deltas:
                        for ready in turns.ready(delta):
                            settled = await self._papers.carried.settled(
                                ready, passage, candidate.provider, candidate.model
                            )
                            self._note(notes, settled)
                            yield settled
                return
            except (ProviderError, Private) as problem:
                notes.outcome, notes.error = "failed", type(problem).__name__
                wait_s = self._wait_s(problem, repetition, place)
                if notes.first is not None or wait_s is None or self._clock.monotonic() + wait_s > deadline:
                    raise
            finally:
                notes.end(self._clock.monotonic(), self._grounds)
            await asyncio.sleep(wait_s)

    def _wait_s(self, problem: ProviderError | Private, repetition: int, place: Place) -> float | None:
        """How long before it is asked again; None if asking again is no use.

        A server on this machine that isn't there now is not started within a second or two: the next candidate is asked.
        """
        if repetition == RETRIES or not isinstance(problem, Overloaded | Unreachable):
            return None
        if place is Place.DEVICE and isinstance(problem, Unreachable):
            return None
        return problem.retry_after_s if problem.retry_after_s is not None else BACK_OFF_S[repetition]

    def _wanted(self, request: Request, candidate: Candidate, errand: Errand | None) -> Request:
        """A request for one candidate: it thinks as much as it shall, and a draft is judged by its log-probabilities."""
        if candidate.thinks is not None or candidate.effort is not None:
            request = replace(request, thinking=Thinking(candidate.thinks, candidate.effort))
        if errand is not None or candidate.threshold is None or request.sampling.logprobs:
            return request
        return replace(request, sampling=replace(request.sampling, logprobs=True))

    def _less(self, candidate: Candidate, place: Place) -> Request | None:
        """The request said with less, if this is who gets that one."""
        return None if place is Place.DEVICE else self._papers.less(candidate.provider)

    def _cleared(self, request: Request, candidate: Candidate, clearance: Clearance, place: Place) -> Passage:
        """For one candidate, now. Raises Private if it can't leave after all: others may answer then."""
        try:
            if place is not Place.DEVICE:
                self._switch.require_off("this request")
            return clear(request, clearance, place, self._vault, candidate.provider)
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

    def _begin(
        self, candidate: Candidate, place: Place, errand: Errand | None, request: Request, hedge: bool = False
    ) -> tuple[Request, _Notes]:
        """Enter an attempt into the ledger; the request as long as its answer may be. Raises BudgetSpent.

        The last call is left for who answers.
        """
        if errand is not None and errand.role in BESIDE and not self._ledger.spare:
            raise self._ledger.over("calls")
        reckoned = self._ledger.counts_tokens or self._ledger.runs_out
        chars = sum(len(field.text) for field in fields(request)) if reckoned else 0
        entry = self._ledger.enter(self._grounds.price(candidate, place), chars, request.sampling.max_tokens)
        notes = _Notes(candidate, place, self._clock.monotonic(), errand, entry, hedge)
        self._notes.append(notes)
        if entry.max_tokens != request.sampling.max_tokens:
            request = replace(request, sampling=replace(request.sampling, max_tokens=entry.max_tokens))
        return request, notes

    def _note(self, notes: _Notes, delta: Delta) -> None:
        if isinstance(delta, Progress):
            return
        self.answered_by = notes.candidate
        if notes.first is None:
            notes.first = self._clock.monotonic()
        if isinstance(delta, Finish):
            notes.finish, notes.outcome = delta, "answered"
        elif isinstance(delta, TextDelta | ThoughtDelta):
            notes.entry.write(len(delta.text))
            if isinstance(delta, TextDelta) and notes.candidate.threshold is not None and notes.errand is None:
                notes.said.append(delta)
        elif isinstance(delta, ToolCallDelta):
            notes.entry.write(len(delta.arguments))


def _learn(rates: Rates, notes: _Notes) -> None:
    """What an attempt shows of a model's speed, however it ended. Most drafts are ended before they are over."""
    assert notes.ended is not None
    if notes.first is not None:
        rates.read(notes.prompt_tokens, notes.first - notes.began)
        if notes.finish:
            rates.wrote(notes.finish.usage, notes.ended - notes.first)
    elif notes.outcome == "cancelled":
        rates.given_up(notes.prompt_tokens, notes.ended - notes.began)

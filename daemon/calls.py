"""ask: attempts to get an answer, each timed and written down, with the one retry loop.

A local attempt waits for its turn and is never repeated here. A cloud attempt goes through the boundary and the provider's
gate (`upstreams/`), and is repeated while nothing of its answer was passed on, for what passes by itself (`patience.py`): a
full or unreachable provider. How long to wait is the provider's word, up to WITHIN_S in all and not beyond what the
client, the budget or somebody who stands behind has patience for; what asks for more is passed on as an error with that
word. Tool calls of all candidates are held until they can be run (`tool_turns.py`): an attempt whose call can't has failed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import timedelta
from functools import partial
from typing import Final

from msgspec.structs import replace

from daemon import local
from daemon.attempts import Notes, learn
from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance, Reach, narrower
from daemon.boundary.painted import NOTHING, Painted
from daemon.boundary.painting import Easel, Studio
from daemon.boundary.papers import Papers
from daemon.boundary.restore import restored
from daemon.boundary.signed import signatures
from daemon.boundary.switch import Switch
from daemon.boundary.vault import Vault
from daemon.clock import Clock
from daemon.confidence.collapse import Collapse
from daemon.confidence.features import Generation
from daemon.confidence.further import Further
from daemon.confidence.judgement import Judgement, Known, Sought
from daemon.confidence.profiles import Profiles
from daemon.confidence.recovery import Outlook
from daemon.confidence.self_check import CHECKS, sureness
from daemon.confidence.upstream import MARGIN_TOP
from daemon.decision.rules import LOCAL, Candidate
from daemon.drafted import Drafted
from daemon.errors import BudgetSpent, NotPainted, Private, Refused
from daemon.flows import KEPT_S, Flows
from daemon.grounds import Grounds
from daemon.ledger import Ledger
from daemon.local_model import LocalModel
from daemon.loopers.base import BESIDE, Errand
from daemon.loopers.errands import request_for
from daemon.money.purses import Whom
from daemon.money.reckoning import prompt_chars
from daemon.pool import Pool
from daemon.receipts.store import About, Receipts
from daemon.signals.entailment import Entailment
from daemon.signals.similarity import Similarity
from daemon.tool_turns import ToolTurns
from daemon.tools.weighing import Weighed, Weighing
from daemon.upstreams.gate import Turn
from daemon.upstreams.patience import WITHIN_S, again_s
from daemon.upstreams.upstreams import Upstreams
from daemon.wall import Pane
from daemon.wire import Attempt, Egress, Receipt
from daemon.wire import Ledger as Account
from daemon.worker_process import WorkerProcess
from edge_models.engines.base import EngineError
from providers.cleared import Place, Provider
from providers.contract import (
    BadAnswer,
    Delta,
    Deltas,
    Finish,
    Progress,
    ProviderError,
    Request,
    TextDelta,
    Thinking,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from providers.pictures import longest_side
from providers.places import place_of_model
from providers.prices import NANO
from providers.texts import fields

ANONYMOUS: Final = "anonymous"
MOST_OTHER_KEYS: Final = 8
"""How often another key of a provider's is tried at once; such a call is no repetition of one that failed."""


class Calls:
    """All attempts for one request; what a looper knows as `ask`."""

    def __init__(
        self,
        request: Request,
        papers: Papers,
        pool: Pool,
        providers: Mapping[str, Provider],
        upstreams: Upstreams,
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
        similarity: Similarity,
        hedges: bool,
        weighing: Weighing,
        began: float,
        pane: Pane,
        studio: Studio | None = None,
        followed: frozenset[str] = frozenset(),
    ) -> None:
        """patience_s: how long a candidate that others stand behind may let itself be waited for. cleared: how far an
        errand's words may travel to a provider, behind the request that it gets. hedges: whether the user allows calls that
        may turn out not to have been needed. began: of the monotonic clock, when the request came. pane: where what leaves
        for it is held to be seen. studio: where pictures are painted; None: nowhere, so they stay.
        followed: candidates behind whom another stands, by name.
        """
        self._request = request
        self._papers = papers
        self._pool = pool
        self._providers = providers
        self._upstreams = upstreams
        self._followed = followed
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
        self._similarity = similarity
        self._hedges = hedges
        self._began = began
        self._pane = pane
        self._easel = Easel(studio, papers, vault)
        self._drafted = Drafted(request, weighing, self._known, self.noted)
        self._notes: list[Notes] = []
        self.notes: list[str] = []
        """What loopers have to say of how it went, as codes."""
        self._contexts: dict[str, tuple[WorkerProcess, int]] = {}
        """Of drafts that have ended, by candidate's name: who has it, and under which number."""
        self.receipts: dict[int, Receipt] = {}
        """By number, in order."""
        self.egress: Egress = "none"
        self.waited_ms = 0.0
        self.answered_by: Candidate | None = None
        """Whose deltas are being passed on."""
        self._asides: dict[str, tuple[str, ...]] = {}
        """Fields, by neutral name, that candidates leave aside, by candidate's name; who was asked last is last."""

    # -- for loopers

    def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        """Ask one candidate. Raises ProviderError, NoCandidate, BudgetSpent."""
        begun: list[Notes] = []
        if candidate.provider == LOCAL:
            return self._in_time(self._local(candidate, errand, begun), begun)
        return self._in_time(self._cloud(candidate, errand, begun), begun)

    def _in_time(self, deltas: Deltas, begun: list[Notes]) -> Deltas:
        return self._while_it_lasts(deltas, begun) if self._ledger.runs_out else deltas

    async def _while_it_lasts(self, deltas: Deltas, begun: list[Notes]) -> Deltas:
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
        """How sure a draft is, and how sure it has to be. Kept for the record."""
        return self._drafted.judge(candidate, sought, draft, further)

    def verified(
        self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None
    ) -> Judgement | None:
        """The same by what was said of it. Kept for the record."""
        return self._drafted.verified(candidate, sought, draft, score)

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        """What a candidate's calls would do, by the user's settings. Kept for `judge` and the record."""
        return await self._drafted.weigh(candidate, calls)

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        """Whether both call the same. Kept for the record."""
        return self._drafted.agree(candidate, calls, label, others)

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
        """How a draft stands that is not over yet."""
        return self._drafted.outlook(candidate, sought, beginning)

    def _known(self, candidate: Candidate) -> Known:
        """What was measured of who drafts here."""
        if candidate.provider != LOCAL:
            return Known()
        return replace(self._profiles.known(self._pool.find(candidate.model).ref), likens=self._similarity.by)

    def hedge(self, candidate: Candidate) -> Deltas | None:
        """A provider's call beside a draft, if the user allows such and need not be asked."""
        if not self._hedges or candidate.provider == LOCAL:
            return None
        if self._papers.clearances.of(candidate.provider).asks:
            return None
        begun: list[Notes] = []
        return self._in_time(self._cloud(candidate, None, begun, hedge=True), begun)

    def chosen(self, candidate: Candidate) -> None:
        """Keep whose draft is released."""
        self.answered_by = candidate

    def rated(self, label: str, side: str | None, score: float | None) -> None:
        """Keep how an errand's answer stood."""
        self._drafted.rated(label, side, score)

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

    async def alike(self, one: str, other: str, question: frozenset[str]) -> float | None:
        """By who tells it here."""
        try:
            return await asyncio.to_thread(self._similarity.of, one, other, question)
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
        if self.answered_by is None or self.answered_by.threshold is None or (notes := self._given()) is None:
            return
        broke = isinstance(failure, BadAnswer)  # a call that nobody could run
        await self._drafted.look_back(self.answered_by, notes, broke)

    def _given(self) -> Notes | None:
        """The attempt whose answer is passed on."""
        own = (each for each in reversed(self._notes) if each.candidate == self.answered_by and not each.beside)
        return next(own, None)

    @property
    def collapse(self) -> Collapse | None:
        """How the answer turned out otherwise than its beginning; None: it didn't."""
        return self._drafted.collapse

    @property
    def escalated_from(self) -> tuple[tuple[Attempt, str], ...]:
        """Drafts that were whole and not sure enough, with their words, if somebody beyond this machine answered instead."""
        given = self._given()
        if given is None or given.place is Place.DEVICE or given.errand is not None or given.outcome != "answered":
            return ()
        now = self._clock.monotonic()
        return tuple(
            (self._drafted.shown(notes, now), words)
            for notes in self._notes
            if notes.errand is None and notes.candidate.threshold is not None
            if (words := self._drafted.whole_words(notes.candidate))
        )

    # -- for the record

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """In order, with their confidence where they were judged."""
        now = self._clock.monotonic()
        return tuple(self._drafted.shown(notes, now) for notes in self._notes)

    @property
    def dissent(self) -> tuple[int, int]:
        """How many of the answers that were compared did not say what most of them did, and how many those were."""
        return self._drafted.dissent

    @property
    def aside(self) -> tuple[str, ...]:
        """Fields, by neutral name, that who answers leaves aside; as long as nobody does, who was asked last."""
        if self.answered_by is not None:
            return self._asides.get(self.answered_by.name, ())
        return next(reversed(self._asides.values()), ())

    @property
    def confidence(self) -> str | None:
        """Of the answer that is passed on: a score, `below`, or None if it was not judged."""
        return self._drafted.confidence(self.answered_by) if self.answered_by else None

    @property
    def ledger(self) -> Account:
        """What it cost so far."""
        attempts = self.attempts
        told = sum(attempt.prompt_tokens + attempt.completion_tokens for attempt in attempts)
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
            hedges_cost_usd=sum(notes.entry.cost_nano for notes in lost) / NANO,
            reckoned=max(0, self._ledger.usage.prompt_tokens + self._ledger.usage.completion_tokens - told),
        )

    # -- one attempt

    async def _local(self, candidate: Candidate, errand: Errand | None, begun: list[Notes]) -> Deltas:
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
                aside = local.not_honoured(asked, capabilities) + self._keep(model)
                self._leave_aside(candidate, aside, errand)
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
                learn(model.rates, notes)

    def _keep_context(self, candidate: Candidate, worker: WorkerProcess, id: int) -> None:
        self._contexts[candidate.name] = (worker, id)

    def _leave_aside(self, candidate: Candidate, aside: tuple[str, ...], errand: Errand | None) -> None:
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
        self._asides.pop(candidate.name, None)
        self._asides[candidate.name] = (*aside, *taken)

    def _keep(self, model: LocalModel) -> tuple[str, ...]:
        """Have it kept as long as the client wants, and no longer than the user does; the field, if that is shorter."""
        wanted = model.asked_keep_s = self._request.keep_s
        return ("keep_s",) if wanted is not None and model.keep_s != wanted else ()

    def _until(self, candidate: Candidate) -> float | None:
        """How long it may stand in line, in the event loop's time: not beyond our patience if others can be asked."""
        waits = []
        if self._request.deadline is not None:
            waits.append(self._request.deadline - self._clock.monotonic())
        if candidate.threshold is not None or candidate.name in self._followed:
            waits.append(self._patience_s)
        return asyncio.get_running_loop().time() + min(waits) if waits else None

    async def _cloud(
        self, candidate: Candidate, errand: Errand | None, begun: list[Notes], hedge: bool = False
    ) -> Deltas:
        provider = self._providers[candidate.provider]
        place = place_of_model(provider.place, candidate.model)
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
        untold = provider.not_honoured(replace(known, model=candidate.model))
        self._leave_aside(candidate, tuple(dict.fromkeys((*untold, *unsigned))), errand)
        wanted = self._wanted(asked, candidate, errand)
        painted = await self._painted(wanted, clearance, candidate) if beyond else NOTHING
        deadline = self._asks_until(candidate)
        before: ProviderError | Private | None = None
        repetition = others = 0
        while True:
            turn = await self._turn(candidate, deadline, before)
            try:
                request, notes = self._begin(candidate, place, errand, wanted, hedge)
            except BaseException:
                turn.leave()
                raise
            begun.append(notes)
            turns = ToolTurns(request)
            try:
                passage = self._cleared(request, candidate, clearance, place, painted)
                async with aclosing(self._once(provider, notes, request, passage, clearance)) as deltas:
                    async for delta in deltas:
                        turn.worked()
                        for ready in turns.ready(delta):
                            settled = await self._papers.carried.settled(
                                ready, passage, candidate.provider, candidate.model
                            )
                            self._note(notes, settled)
                            yield settled
                return
            except (ProviderError, Private) as problem:
                notes.outcome, notes.error = "failed", type(problem).__name__
                other = isinstance(problem, ProviderError) and problem.another_key and others < MOST_OTHER_KEYS
                if isinstance(problem, ProviderError) and not other:
                    turn.failed(problem)
                wait_s = 0.0 if other else again_s(problem, repetition, place, random.random)
                if notes.first is not None or wait_s is None or self._clock.monotonic() + wait_s > deadline:
                    raise
                before = problem
            finally:
                turn.leave()
                notes.end(self._clock.monotonic(), self._grounds, partial(prompt_chars, request))
                self._ledger.looked_at(candidate.provider)
            others, repetition = others + other, repetition + (not other)
            await asyncio.sleep(wait_s)

    async def _turn(self, candidate: Candidate, deadline: float, before: ProviderError | Private | None) -> Turn:
        """A candidate's turn with its provider. before: what the attempt before ended with, which is told where there is
        none any more. Raises ProviderError.
        """
        await self._upstreams.look()
        queued = self._clock.monotonic()
        client = self._request.client or self._request.session or ANONYMOUS
        try:
            return await self._upstreams[candidate.provider].enter(
                candidate.model, client, self._until(candidate), deadline
            )
        except ProviderError as refused:
            raise before or refused from None
        finally:
            self.waited_ms += (self._clock.monotonic() - queued) * 1000

    def _asks_until(self, candidate: Candidate) -> float:
        """Of the monotonic clock, until when it is asked again."""
        now = self._clock.monotonic()
        ends = [now + WITHIN_S]
        if candidate.threshold is not None or candidate.name in self._followed:
            ends.append(now + self._patience_s)
        if self._request.deadline is not None:
            ends.append(self._request.deadline)
        if self._ledger.ends_at is not None:
            ends.append(self._ledger.ends_at)
        return min(ends)

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

    async def _painted(self, request: Request, clearance: Clearance, candidate: Candidate) -> Painted:
        """Its pictures as they may leave for one candidate. Raises Private if they can't: others may answer then."""
        try:
            side = partial(longest_side, candidate.model)
            return await self._easel.painted(request, clearance, candidate.provider, side)
        except Refused as error:
            if isinstance(error, NotPainted):
                self.noted(error.code)
            raise Private(str(error)) from error

    def _cleared(
        self, request: Request, candidate: Candidate, clearance: Clearance, place: Place, painted: Painted
    ) -> Passage:
        """For one candidate, now. Raises Private if it can't leave after all: others may answer then."""
        try:
            if place is not Place.DEVICE:
                self._switch.require_off("this request")
            return clear(request, clearance, place, self._vault, candidate.provider, painted)
        except Refused as error:
            raise Private(str(error)) from error

    def _once(
        self, provider: Provider, notes: Notes, request: Request, passage: Passage, clearance: Clearance
    ) -> Deltas:
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
        pane = self._pane.crossing(request, passage.replaced, self._notes.index(notes))

        def seen(receipt: Receipt) -> None:
            notes.credential = receipt.credential
            pane.written(receipt)
            notes.receipt = receipt
            self._crossed(receipt, clearance.reach)

        crossed = pane.watching(self._receipts.witness(about, seen))
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
    ) -> tuple[Request, Notes]:
        """Enter an attempt into the ledger; the request as long as its answer may be. Raises BudgetSpent.

        The last call is left for who answers.
        """
        if errand is not None and (errand.spare or errand.role in BESIDE) and not self._ledger.spare:
            raise self._ledger.over("calls")
        whom = None
        if place is not Place.DEVICE:
            unpriced = self._grounds.book.asks_unpriced(candidate.provider)
            whom = Whom(candidate.provider, candidate.model, unpriced)
        reckoned = self._ledger.counts_tokens(whom.provider if whom else None) or self._ledger.runs_out
        chars = prompt_chars(request) if reckoned else 0
        entry = self._ledger.enter(self._grounds.price(candidate, place), chars, request.sampling.max_tokens, whom)
        notes = Notes(candidate, place, self._clock.monotonic(), errand, entry, hedge, self._began)
        self._notes.append(notes)
        if entry.max_tokens != request.sampling.max_tokens:
            request = replace(request, sampling=replace(request.sampling, max_tokens=entry.max_tokens))
        return request, notes

    def _note(self, notes: Notes, delta: Delta) -> None:
        if isinstance(delta, Progress):
            return
        self.answered_by = notes.candidate
        if notes.first is None:
            notes.first = self._clock.monotonic()
        if isinstance(delta, Finish):
            notes.finish_with(delta, self._clock.monotonic())
        elif isinstance(delta, TextDelta | ThoughtDelta):
            notes.entry.write(len(delta.text))
            if isinstance(delta, TextDelta) and notes.drafts:
                notes.said.append(delta)
                notes.measure(delta.logprobs)
        elif isinstance(delta, ToolCallDelta):
            notes.entry.write(len(delta.arguments))
            if notes.drafts:
                notes.measure(delta.logprobs)

"""The corridor: one request from its neutral form to its deltas and its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import asdict, replace

from daemon import wire
from daemon.allowances import Allowance, Allowances
from daemon.boundary.desk import Desk
from daemon.boundary.judge import Clearance, Clearances
from daemon.boundary.papers import Papers
from daemon.boundary.pictures import without_sights
from daemon.boundary.reduction.request import Reduction
from daemon.boundary.switch import Switch
from daemon.calls import Calls
from daemon.clock import Clock
from daemon.confidence.families import family_of
from daemon.confidence.features import words
from daemon.confidence.profiles import Profiles
from daemon.decision.rules import (
    AUTO,
    LOCAL,
    Candidate,
    Decision,
    Keyring,
    Offer,
    Policy,
    Route,
    away_from,
    decide,
    here_if_spent,
    of_several_answers,
    with_way_back,
)
from daemon.decision.worth_trying import Trial
from daemon.energy import EnergyMeter
from daemon.errors import NearloopError, SpendingLimit
from daemon.events import EventRing
from daemon.flows import Flows
from daemon.grounds import Grounds
from daemon.learning.auditor import Audited, Auditor, auditor_of
from daemon.learning.conversations import Conversations
from daemon.learning.learner import Learner
from daemon.ledger import CHARS_PER_TOKEN as CHARS_RECKONED
from daemon.ledger import Ledger, room_of, tokens_of
from daemon.loopers.base import Errand
from daemon.loopers.errands import only_added, request_for
from daemon.loopers.flow_state import goes_on_with
from daemon.loopers.registry import LOOPERS
from daemon.loopers.way_back import or_here
from daemon.money.lines import Line, opened
from daemon.money.price_book import PriceBook
from daemon.money.purses import Account, Call, Purses, Whom
from daemon.money.reckoning import prompt_chars
from daemon.network import Network
from daemon.pictures.service import Looked, Pictures
from daemon.pictures.studio import studio_of
from daemon.pictures.thumbnails import Thumbnails, made_small
from daemon.pool import Pool
from daemon.receipts.store import Receipts
from daemon.records import Store
from daemon.reducing import Reducer
from daemon.routing.book import Book
from daemon.routing.holding import held
from daemon.routing.live import Live, Verdict
from daemon.routing.plugins.registry import apply
from daemon.routing.selection.choosing import Asking, Chooser
from daemon.routing.settling import Scene, answered_by_recipe, settle
from daemon.settings import Budget
from daemon.shown_pictures import pictures_before, pictures_of
from daemon.signals.base import Observation
from daemon.signals.context import TOKENS
from daemon.signals.observe import Observer
from daemon.tools.weighing import Weighing
from daemon.upstreams.upstreams import Upstreams
from daemon.wall import UNSEEN, Wall
from providers.cleared import Place, Provider
from providers.contract import (
    Delta,
    Deltas,
    Finish,
    Image,
    Message,
    Progress,
    ProviderError,
    Request,
    Text,
    TextDelta,
    ToolResult,
    Usage,
)
from providers.places import place_of_model
from providers.prices import Price
from providers.texts import carried

ANSWER_TOKENS: Final = 200
"""How long an answer is taken to be when its time is predicted: the median of chat answers is 100 to 300 tokens."""
CHARS_PER_TOKEN: Final = 4


class Rooms:
    """The parts that the corridor leads through, put together once."""

    def __init__(
        self,
        pool: Pool,
        providers: Mapping[str, Provider],
        upstreams: Upstreams,
        cloud: tuple[Candidate, ...],
        near: tuple[Candidate, ...],
        observer: Observer,
        book: Book,
        chooser: Chooser,
        desk: Desk,
        switch: Switch,
        network: Network,
        receipts: Receipts,
        reducer: Reducer,
        profiles: Profiles,
        conversations: Conversations,
        learner: Learner,
        auditor: Auditor,
        escalate_below: float | None,
        hedges: bool,
        weighing: Weighing,
        patience_s: float,
        head_start_s: float,
        wait_s: float,
        budget: Budget,
        allowances: Allowances,
        purses: Purses,
        price_book: PriceBook,
        meter: EnergyMeter,
        flows: Flows,
        wall: Wall,
        pictures: Pictures,
    ) -> None:
        self.pool = pool
        self.providers = providers
        self.upstreams = upstreams
        self.device = tuple(name for name, each in providers.items() if each.place is Place.DEVICE)
        self.cloud = cloud
        self.near = near
        self.observer = observer
        self.book = book
        self.chooser = chooser
        self.desk = desk
        self.switch = switch
        self.network = network
        self.receipts = receipts
        self.reducer = reducer
        self.profiles = profiles
        self.conversations = conversations
        self.learner = learner
        self.auditor = auditor
        self.escalate_below = escalate_below
        self.hedges = hedges
        self.weighing = weighing
        self.patience_s = patience_s
        self.head_start_s = head_start_s
        self.wait_s = wait_s
        self.budget = budget
        self.allowances = allowances
        self.purses = purses
        self.price_book = price_book
        self.meter = meter
        self.flows = flows
        self.wall = wall
        self.pictures = pictures
        self.studio = studio_of(pictures, observer.observe)

    def take_harmless(self, values: Iterable[str]) -> None:
        """Values that are no findings, in any case, from the next request on."""
        self.desk.harmless = frozenset(map(str.casefold, values))


class Visit:
    """One request on its way. Read `deltas` once; the rest tells what is known by now."""

    def __init__(self, pipeline: Pipeline, request: Request, may_cloud: bool, debug: bool = False) -> None:
        self.request = request
        self.debug = debug
        self.matched: dict[str, tuple[str, ...]] = {}
        """The recipe's rules that held, by family, if the client debugs."""
        self._pipeline = pipeline
        self._may_cloud = may_cloud
        self._working = request
        """The request as it is answered: under the name that the client's stands for, and as a recipe has it."""
        self.looked = Looked(request, {}, {})
        """How its pictures and files were looked at."""
        self._small: dict[str, bytes] = {}
        """Its pictures as they are kept, if words are."""
        self.observations: tuple[Observation, ...] = ()
        self.papers: Papers | None = None
        self.decision: Decision | None = None
        self.live: Live | None = None
        self.verdict: Verdict | None = None
        """What the recipe said, if one was asked."""
        self._calls: Calls | None = None
        self._answering = False
        self._settled = False
        self._finished = False
        self._answer: list[str] = []
        self._left_out: tuple[str, ...] = ()
        self.reduction: Reduction | None = None
        """What was tried if the request tells of somebody who could be guessed."""
        self._turn = pipeline.rooms.conversations.turn(request)
        self._ledger: Ledger | None = None
        self._account: Account | None = None
        self._reckoned_chars: int | None = None
        self._began = self._set_out = pipeline.clock.monotonic()
        self._pane = UNSEEN

    @property
    def answered_by(self) -> str:
        """`PROVIDER/MODEL` once somebody answers; before that, what was asked for."""
        by = self._calls.answered_by if self._calls else None
        return by.name if by else self.request.model

    @property
    def asked(self) -> Request:
        """The request as it is answered: as a recipe has it, once that is decided."""
        return self._working

    @property
    def aside(self) -> tuple[str, ...]:
        """Fields of the request, by neutral name, that a recipe or who answers leaves aside."""
        return tuple(dict.fromkeys((*self._left_out, *(self._calls.aside if self._calls else ()))))

    @property
    def egress(self) -> wire.Egress:
        """What left this machine; pending until the first delta, after which nothing more leaves."""
        return self._calls.egress if self._calls and self._settled else "pending"

    @property
    def confidence(self) -> str | None:
        """Of the answer: a score, `below`, or None if it was not judged."""
        return self._calls.confidence if self._calls else None

    @property
    def collapse(self) -> str | None:
        """How a streamed answer turned out otherwise than its beginning, once it is whole; None: it didn't."""
        return self._calls.collapse if self._calls else None

    @property
    def reduced(self) -> Reduction | None:
        """What was taken out of what left for this answer; None: nothing was, or nothing left."""
        left = self._calls and any(receipt.reduced for receipt in self._calls.receipts.values())
        return self.reduction if left else None

    @property
    def pictures(self) -> tuple[wire.Picture, ...]:
        """What was seen of its pictures and files, without a word of it."""
        return pictures_of(self.looked.request, self.observations, self.looked.unseen, self.looked.took_ms)

    @property
    def dissent(self) -> str | None:
        """Of the answers that were compared, how many did not say what most of them did, as `1/3`; None: none were."""
        apart, compared = self._calls.dissent if self._calls else (0, 0)
        return f"{apart}/{compared}" if compared > 1 else None

    @property
    def asked_by_looper(self) -> tuple[str, ...]:
        """Whom a looper asked, each once; none if it was one attempt for the client's own question."""
        attempts = self._calls.attempts if self._calls else ()
        return tuple(dict.fromkeys(f"{each.provider}/{each.model}" for each in attempts))

    @property
    def took_ms(self) -> float:
        """Since it came in."""
        return (self._pipeline.clock.monotonic() - self._began) * 1000

    @property
    def ledger(self) -> wire.Ledger:
        """What it took so far."""
        return self._calls.ledger if self._calls else wire.Ledger()

    @property
    def looper(self) -> str | None:
        """How it is answered; None before that is decided."""
        return self.decision.looper if self.decision else None

    @property
    def route(self) -> Route | None:
        """What a recipe said; None if none was asked, or none yet."""
        return self.decision.route if self.decision else None

    async def deltas(self) -> Deltas:
        """Walk the corridor. Raises NearloopError, ProviderError; leaves a record however it ends."""
        house = self._pipeline
        self._set_out, at = house.clock.monotonic(), house.clock.now()
        self._pane = house.rooms.wall.open(self.request)
        outcome: wire.Outcome = "cancelled"
        error: str | None = None
        asked_first: str | None = None
        house.arrived(self.request)
        try:
            if (allowance := house.rooms.allowances.of(self.request.client)) is not None:
                allowance.arrive()
            self._answering = True
            house.rooms.learner.hear(self.request, self._turn)
            decision = await self.decide()
            self._ledger = house.ledger(allowance, self._may_spend())
            self._calls = self._asked(self._ledger)
            asked_first = decision.candidates[0].name if decision.candidates else None
            if asked_first is not None:
                house.rooms.chooser.speeds.began(asked_first)
            async with aclosing(or_here(LOOPERS[decision.looper], decision, self._calls)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Finish):
                        await self._calls.look_back()
                    yield self._passed_on(delta)
        except (NearloopError, ProviderError) as problem:
            if self._settled and self._calls and isinstance(problem, ProviderError):
                await self._calls.look_back(problem)
            outcome, error = "failed" if self._calls and self._calls.attempts else "refused", type(problem).__name__
            raise
        except (GeneratorExit, asyncio.CancelledError):
            raise  # the client hung up, or the daemon stops
        except BaseException as problem:
            outcome, error = "failed", type(problem).__name__
            raise
        finally:
            if asked_first is not None:
                house.rooms.chooser.speeds.ended(asked_first)
            if self._ledger is not None:
                self._ledger.settle()
            if self.papers and self._calls and self._calls.receipts:
                self.papers.left()
            took_ms = (house.clock.monotonic() - self._set_out) * 1000
            record, words = self._record(at, took_ms, "answered" if self._finished else outcome, error), self._words()
            house.left(record, words)
            self._teach(record)
            self._audit(record, words)

    async def decide(self) -> Decision:
        """From the request to who may answer it. Raises NearloopError."""
        rooms = self._pipeline.rooms
        self._working = replace(self.request, model=rooms.book.stands_for(self.request.model, self.request.client))
        self.looked = await rooms.pictures.look(self._working)
        self._working = self.looked.request
        if self._answering and self._pipeline.thumbnails is not None:
            self._small = await self._pipeline.thumbnails.of(self._working)
        self.live = await rooms.book.find(self._working.model)
        self.decision = await (self._decided() if self.live is None else self._routed(self.live))
        if self.decision.looper == "workflows":
            self.decision = replace(self.decision, resumes=goes_on_with(self._working))
        if self.decision.looper == "confidence" and self._working.sampling.choices != 1:
            self.decision = replace(self.decision, candidates=of_several_answers(self.decision.candidates))
        if self.decision.looper == "confidence":
            asked = _last_words(self._working)
            structured = self._working.schema is not None or self._working.tool_choice not in ("auto", "none")
            drafts = sum(each.threshold is not None for each in self.decision.candidates)
            sought = replace(self.decision.sought, family=family_of(asked, structured), drafts=drafts)
            whole = not self._working.stream
            within_s = self._within_s(self.decision, whole)
            self.decision = replace(
                self.decision, question=words(asked), said=asked, sought=sought, whole=whole, within_s=within_s
            )
        if self._working.tools and (self.decision.looper == "confidence" or self._working.model == AUTO):
            self.decision = replace(self.decision, keyring=self._keyring())
        return self.decision

    def _keyring(self) -> Keyring:
        """How calls that may do harm get their second key. A demonstration's word is none."""
        rooms = self._pipeline.rooms
        here = tuple(Candidate(LOCAL, name) for name in rooms.pool.names())
        seconds = tuple(each for each in here if not rooms.pool.find(each.model).demonstration)
        careful = rooms.weighing.careful(self._working)
        return Keyring((*here, *rooms.near), (*seconds, *rooms.near), rooms.weighing.refuses, careful)

    def _asked(self, ledger: Ledger) -> Calls:
        rooms, clock = self._pipeline.rooms, self._pipeline.clock
        assert self.papers
        return Calls(
            self._working,
            self.papers,
            rooms.pool,
            rooms.providers,
            rooms.upstreams,
            rooms.desk.vault,
            rooms.switch,
            clock,
            rooms.patience_s,
            rooms.receipts,
            self._grounds(),
            rooms.profiles,
            ledger,
            self._cleared_with,
            rooms.flows,
            rooms.observer.parts.entailment,
            rooms.observer.parts.similarity,
            rooms.hedges,
            rooms.weighing,
            self._set_out,
            self._pane,
            rooms.studio,
            self._followed(),
        )

    def _followed(self) -> frozenset[str]:
        """Behind whom another candidate stands: those are waited for as long as policy.patience_s says, and no longer."""
        if self.decision is None or not self.decision.candidates:
            return frozenset()
        last = None if self.decision.way_back is not None else self.decision.candidates[-1].name
        return frozenset(each.name for each in self.decision.candidates if each.name != last)

    async def _cleared_with(self, errand: Errand, provider: str) -> Clearance:
        """How far an errand's words may travel to a provider, behind the request that it gets.

        They hold other models' answers, so they are looked at as if the client had sent them. Who gets the request said with
        less is judged by all that it would see: what was taken out may stand in the answers of those who saw it.
        """
        assert self.papers
        less = self.papers.less(provider)
        behind = only_added(self._working, errand) if less is None else request_for(less, errand)
        found = await self._pipeline.rooms.observer.observe(behind)
        return self.papers.behind(provider, behind, found, errand.words)

    def _grounds(self) -> Grounds:
        """Why it may leave, for its receipts."""
        assert self.decision
        route = self.decision.route
        rule = f"{route.recipe}/{route.decision}" if route and route.decision else self.decision.rule
        reduced = self.reduction.by if self.reduction and self.reduction.request else None
        return Grounds(rule, reduced, self._prices(), self._pipeline.rooms.price_book)

    def _may_spend(self) -> Account:
        """What it may spend, in the purses of its day."""
        if self._account is None:
            house, at = self._pipeline, self._pipeline.clock.now()
            self._account = house.rooms.purses.account(
                self.request.client, self.request.project, at, partial(self._opened, at)
            )
        return self._account

    def _opened(self, at: datetime, number: int, whom: Whom, call: Call) -> None:
        """A call beyond this machine begins: it is written down, for the case that nobody sees its end."""
        who = (self.request.client, self.request.project, self.request.session)
        place = place_of_model(self._pipeline.rooms.providers[whom.provider].place, whom.model).value
        line = opened(self.request.id, number, at, who, (whom.provider, whom.model), place, call.cost_nano)
        self._pipeline.opened(line)

    def _over(self, candidate: Candidate) -> SpendingLimit | None:
        """The limit that keeps a candidate from being paid for."""
        rooms, account = self._pipeline.rooms, self._may_spend()
        if not account.limited(candidate.provider):
            return None
        if self._reckoned_chars is None:
            self._reckoned_chars = prompt_chars(self._working)
        place = place_of_model(rooms.providers[candidate.provider].place, candidate.model)
        price = Grounds("", None, self._prices(), rooms.price_book).price(candidate, place)
        whom = Whom(candidate.provider, candidate.model, rooms.price_book.asks_unpriced(candidate.provider))
        prompt = -(-self._reckoned_chars // CHARS_RECKONED)
        return account.over(candidate.provider) if room_of(account, whom, prompt, price) is None else None

    def _prices(self) -> dict[str, Price]:
        """What the recipe says of prices, under the names that models have here."""
        own, named = self._pipeline.rooms.book.models, self.live.known.prices if self.live else {}
        return {
            own.get(name, name): Price(price.prompt_per_1m, price.completion_per_1m)
            for name, price in named.items()
            if price.prompt_per_1m is not None and price.completion_per_1m is not None
        }

    async def _decided(self) -> Decision:
        """By the model name alone."""
        self.observations = await self._pipeline.rooms.observer.observe(self._working)
        clearances = await self._judged(self.observations)
        offer = self._offer(look=self._working.model == AUTO)
        decision = away_from(decide(self._working, clearances, offer, self._policy()), clearances, offer)
        decision = here_if_spent(decision, offer)
        return with_way_back(decision, clearances, offer) if self._working.model == AUTO else decision

    async def _routed(self, live: Live) -> Decision:
        """By a recipe. Its signals look at what the client sent; the boundary judges what would leave."""
        if live.reach == "device":
            self._working = replace(self._working, reach="device")
        self.observations = await live.observe(self._working)
        sessions = self._pipeline.rooms.chooser.sessions
        verdict = held(live, live.verdict(self.observations), self.observations, sessions, self._working)
        self.verdict = verdict
        if self.debug:
            self.matched = live.matched(self.observations)
        changed, plugins = apply(self._working, verdict.decision.plugins if verdict.decision else ())
        private = self.observations
        if changed.request is not self._working:
            self._working, self._left_out = changed.request, changed.aside
            private = await self._pipeline.rooms.observer.observe(self._working)
        clearances = await self._judged(private)
        if changed.message is not None:
            return answered_by_recipe(live, verdict, plugins, changed.message)
        rooms = self._pipeline.rooms
        asking = Asking(self._working, round(self.prompt_tokens()), remember=self._answering)
        scene = Scene(clearances, self._offer(look=True), self._policy(), rooms.book.models, asking)
        settled = away_from(await settle(live, verdict, scene, rooms.chooser, plugins), clearances, scene.offer)
        settled = here_if_spent(settled, scene.offer)
        return with_way_back(settled, clearances, scene.offer)

    def _offer(self, look: bool) -> Offer:
        """Who is there. look: whether it matters that there is a network, which takes half a millisecond to see."""
        rooms = self._pipeline.rooms
        trial = self._trial()
        return Offer(
            local=rooms.pool.names(),
            cloud=rooms.cloud,
            near=rooms.near,
            demonstration=rooms.pool.find(rooms.pool.names()[0]).demonstration,
            providers=tuple(rooms.providers),
            device=rooms.device,
            slow_local=trial.slow(rooms.patience_s),
            late_local=self.request.stream and trial.late(rooms.head_start_s),
            fits_local=trial.fits,
            blind_local=_has_seen_pictures(self._working),
            online=not look or not rooms.providers or rooms.network.online(),
            away=rooms.upstreams.away() if look else {},
            collapsed=rooms.conversations.collapsed(self._turn),
            over=self._over,
            capped=rooms.purses.limited,
        )

    def _policy(self) -> Policy:
        return Policy(self._may_cloud, self._pipeline.rooms.escalate_below)

    async def _judged(self, observations: tuple[Observation, ...]) -> Clearances:
        """By what was found in the request as it would leave."""
        rooms = self._pipeline.rooms
        self.papers = Papers(rooms.desk, self._working, observations, rooms.switch.on)
        if self._answering:
            self.papers.remember()
        if self.papers.identifying and self._may_cloud:
            self.reduction = await self._said_with_less(self.papers)
        return self.papers.clearances

    async def _said_with_less(self, papers: Papers) -> Reduction:
        """For whoever may have it but for telling of somebody who could be guessed."""
        rooms = self._pipeline.rooms
        made = await rooms.reducer.reduced(self._working)
        if made.request is None or papers.say_with_less(made.request, await rooms.observer.observe(made.request)):
            return made
        return Reduction(None, made.by, why="told")

    def _trial(self) -> Trial:
        """What the first local model's draft would take."""
        pool = self._pipeline.rooms.pool
        model, prompt_tokens = pool.find(pool.names()[0]), self.prompt_tokens()
        answer_tokens = min(self.request.sampling.max_tokens or ANSWER_TOKENS, ANSWER_TOKENS)
        return Trial(
            prompt_tokens,
            model.context_tokens,
            model.queue.wait_s,
            model.rates.first_word_s(prompt_tokens),
            model.rates.predict_s(prompt_tokens, answer_tokens),
        )

    def _within_s(self, decision: Decision, whole: bool) -> float | None:
        """How long drafts may take until they are judged; None: nobody beyond this machine is behind them."""
        rooms = self._pipeline.rooms
        behind = next((each for each in decision.candidates if each.threshold is None), None)
        if behind is None or behind.provider == LOCAL:
            return None
        if place_of_model(rooms.providers[behind.provider].place, behind.model) is Place.DEVICE:
            return None
        return rooms.patience_s if whole else rooms.head_start_s

    def prompt_tokens(self) -> float:
        """How long the request is, as estimated."""
        measured = next((seen.value for seen in self.observations if seen.name == TOKENS), None)
        return measured if measured is not None else _prompt_chars(self.request) / CHARS_PER_TOKEN

    def _passed_on(self, delta: Delta) -> Delta:
        if isinstance(delta, Progress):
            return delta
        self._settled = True
        if isinstance(delta, Finish):
            self._finished = True
        elif isinstance(delta, TextDelta):
            self._answer.append(delta.text)
            if delta.logprobs and not self.request.sampling.logprobs:
                return replace(delta, logprobs=())  # asked for by us, not by the client
        return delta

    def _teach(self, record: wire.Record) -> None:
        """What there is to learn of it, now and with what the client does next."""
        if self._calls is None or self.request.sampling.choices != 1:
            return
        answer, asked = "".join(self._answer), _last_words(self._working)
        by, unsure = self._calls.answered_by, self._calls.escalated_from
        collapsed = by.provider if by and self.collapse else None
        self._pipeline.rooms.learner.answered(self._turn, record, answer, asked, unsure, collapsed)

    def _audit(self, record: wire.Record, words: wire.Content | None) -> None:
        """If chance wants it, have somebody else asked the same by and by."""
        rooms, decision, papers = self._pipeline.rooms, self.decision, self.papers
        if decision is None or papers is None or self._ledger is None or not rooms.auditor.picks():
            return
        by = auditor_of(record, self._working, decision, papers.clearances)
        if by is None or by.provider in rooms.device:
            return
        if papers.less(by.provider) is None:  # what is said with less is another question
            answer, asked = "".join(self._answer), _last_words(self._working)
            self._pane = self._pane.after(len(record.attempts))
            rooms.auditor.take(Audited(record, words, self._asked(self._ledger), papers.left, by, answer, asked))

    def _record(self, at: datetime, took_ms: float, outcome: wire.Outcome, error: str | None) -> wire.Record:
        request, decision, calls = self.request, self.decision, self._calls
        return wire.Record(
            id=request.id,
            at=at,
            protocol=request.protocol,
            client=request.client,
            project=request.project,
            session=request.session,
            model=self._working.model if decision else "?",  # any other name is the client's words, not ours
            streamed=request.stream,
            outcome=outcome,
            egress=calls.egress if calls else "none",
            took_ms=took_ms,
            waited_ms=calls.waited_ms if calls else 0.0,
            messages=len(request.messages),
            prompt_chars=_prompt_chars(request),
            answer_chars=sum(map(len, self._answer)),
            decision=_decision_shape(decision),
            attempts=calls.attempts if calls else (),
            ledger=calls.ledger if calls else wire.Ledger(),
            ignored=request.ignored + self.aside,
            error=error,
            seen=tuple(_seen_shape(seen) for seen in self.observations if seen.matched or seen.name == TOKENS),
            clearance=_clearance_shape(self.papers.clearances if self.papers else None),
            receipts=tuple(calls.receipts.values()) if calls else (),
            kept_back=self.papers.carried.kept_back if self.papers else 0,
            asked=tuple(wire.Asked(**asdict(each)) for each in self.papers.asked) if self.papers else (),
            reduction=_reduction_shape(self.reduction),
            confidence=self.confidence,
            notes=tuple(calls.notes) if calls else (),
            pictures=self.pictures,
            pictures_before=pictures_before(self.looked.request),
            saved=self._saved() if outcome == "answered" else None,
        )

    def _saved(self) -> wire.Saved | None:
        """What an answer from here would have cost at whom the decision would else have asked, or the configured `cloud`."""
        rooms, decision, calls = self._pipeline.rooms, self.decision, self._calls
        by = calls.answered_by if calls else None
        if by is None or decision is None or calls is None or self._placed(by) is not Place.DEVICE:
            return None
        beyond = [each for each in decision.candidates if self._placed(each) is Place.CLOUD] or list(rooms.cloud[:1])
        given = [each for each in calls.attempts if (each.provider, each.model) == (by.provider, by.model)]
        if not beyond or not given:
            return None
        usage = Usage(given[-1].prompt_tokens, given[-1].completion_tokens)
        found = rooms.price_book.find(beyond[0].provider, beyond[0].model, Place.CLOUD, self._prices())
        known = found is not None and found.by != "plan"
        usd = found.price.cost_usd(tokens_of(usage)) if known and found else None
        return wire.Saved(beyond[0].name, usd)

    def _placed(self, candidate: Candidate) -> Place:
        provider = self._pipeline.rooms.providers.get(candidate.provider)
        return Place.DEVICE if provider is None else place_of_model(provider.place, candidate.model)

    def _words(self) -> wire.Content | None:
        if not self._pipeline.keep_content:
            return None
        less = self.reduction.request if self.reduction else None
        return wire.Content(
            msgspec.to_builtins(list(without_sights(made_small(self.request, self._small)).messages)),
            "".join(self._answer),
            msgspec.to_builtins(list(without_sights(less).messages)) if less else None,
        )


def _has_seen_pictures(request: Request) -> bool:
    """Whether it has pictures, all of which were looked at: with another one it is left to who is asked to refuse it."""
    pictures = [part for _, part in carried(request) if isinstance(part, Image)]
    return bool(pictures) and all(part.sight is not None for part in pictures)


def _last_words(request: Request) -> str:
    """The text of the last user turn."""
    for message in reversed(request.messages):
        if message.role == "user":
            return " ".join(part.text for part in message.parts if isinstance(part, Text))
    return ""


def _prompt_chars(request: Request) -> int:
    return sum(map(_chars, request.messages))


def _chars(message: Message) -> int:
    total = 0
    for part in message.parts:
        if isinstance(part, Text):
            total += len(part.text)
        elif isinstance(part, ToolResult):
            total += sum(len(inner.text) for inner in part.parts if isinstance(inner, Text))
    return total


def _decision_shape(decision: Decision | None) -> wire.Decision | None:
    if decision is None:
        return None
    names = tuple(candidate.name for candidate in decision.candidates)
    route = wire.Route(**asdict(decision.route)) if decision.route else None
    return wire.Decision(
        decision.rule, decision.looper, names, route, decision.left_out, dict(decision.away), decision.over_limit
    )


def _seen_shape(seen: Observation) -> wire.Seen:
    return wire.Seen(
        signal=seen.signal,
        name=seen.name,
        label=seen.label,
        score=seen.score,
        value=seen.value,
        places=len(seen.spans),
        took_ms=round(seen.took_ms, 3),
        error=seen.error,
        matched=seen.matched and seen.error is None,
        held=wire.Held(seen.held.likeness, seen.held.threshold, seen.held.here) if seen.held else None,
    )


def _clearance_shape(clearances: Clearances | None) -> wire.Clearance | None:
    if clearances is None:
        return None
    general = _one_clearance(clearances.general)
    own = {name: _one_clearance(clearance) for name, clearance in clearances.own.items()}
    return replace(general, providers={name: each for name, each in own.items() if each != general})


def _one_clearance(clearance: Clearance) -> wire.Clearance:
    findings = tuple(
        wire.Finding(finding.label, finding.count, finding.path, finding.treatment) for finding in clearance.findings
    )
    return wire.Clearance(clearance.reach, findings, clearance.why)


def _reduction_shape(reduction: Reduction | None) -> wire.Reduction | None:
    return wire.Reduction(reduction.by, dict(reduction.changes), reduction.why) if reduction else None


class Pipeline:
    """Takes requests in, and writes down how they went."""

    def __init__(self, rooms: Rooms, store: Store, events: EventRing, clock: Clock, keep_content: bool) -> None:
        self.rooms = rooms
        self.clock = clock
        self.keep_content = keep_content
        self.thumbnails = Thumbnails(rooms.pictures, clock) if keep_content else None
        self.requests = 0
        self.in_flight = 0
        self.forgets: list[Callable[[timedelta], None]] = [
            rooms.flows.forget_older,
            rooms.learner.forget_older,
            rooms.auditor.forget_older,
            rooms.wall.forget_older,
            rooms.pictures.forget_older,
            *((self.thumbnails.forget_older,) if self.thumbnails else ()),
        ]
        """What holds words in memory, and forgets those older than so long when the user deletes records."""
        self._store = store
        self._events = events

    @property
    def words(self) -> Store | None:
        """Where words may be kept; None unless the user asked for it."""
        return self._store if self.keep_content else None

    def visit(self, request: Request, may_cloud: bool, debug: bool = False) -> Visit:
        """Take a request in. may_cloud: whether its sender may have cloud answers. debug: whether it wants to know more."""
        return Visit(self, request, may_cloud, debug)

    def ledger(self, allowance: Allowance | None, account: Account) -> Ledger:
        """Of a request that begins now. allowance: its client's. account: what it may spend."""
        return Ledger(self.rooms.budget, self.clock.monotonic, self.rooms.meter, allowance, account)

    def opened(self, line: Line) -> None:
        """Called by a visit when it asks somebody beyond this machine."""
        self._store.write_line(line)

    def arrived(self, request: Request) -> None:
        """Called by a visit at its start."""
        self.requests += 1
        self.in_flight += 1
        self._events.emit("request", {"protocol": request.protocol, "client": request.client}, request.id)

    def left(self, record: wire.Record, content: wire.Content | None) -> None:
        """Called by a visit at its end."""
        self.in_flight -= 1
        self.rooms.chooser.speeds.learn(record.attempts)
        self._store.write(record, content)
        self._events.emit("record", record, record.id)

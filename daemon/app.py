"""The composition root: from settings to a server's app."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import date
from functools import partial
from typing import Any, Final

import msgspec
from litestar import Litestar, Request, Response
from litestar.exceptions import HTTPException
from msgspec.structs import replace

from daemon import idle_probe
from daemon.allowances import Allowances, begin_of_day
from daemon.boundary.approvals import Approvals
from daemon.boundary.desk import Desk
from daemon.boundary.holds import Hold, Holds
from daemon.boundary.holds import State as Stage
from daemon.boundary.policy import Policies, asked_for
from daemon.boundary.switch import Switch
from daemon.boundary.vault import Vault
from daemon.callers import Callers
from daemon.classify import routes as classify
from daemon.clock import Clock
from daemon.confidence.profiles import Profiles
from daemon.confidence.profiles import shipped as shipped_profiles
from daemon.control import routes as control
from daemon.control.approval_routes import news
from daemon.control.log_routes import log_routes
from daemon.control.metrics_routes import metrics_routes
from daemon.control.provider_routes import provider_routes
from daemon.control.recipe_routes import info as recipe_info
from daemon.control.state import State
from daemon.crashes import place_of
from daemon.decision.rules import Candidate
from daemon.devices import Devices
from daemon.energy import EnergyMeter
from daemon.errors import DailyLimit, NearloopError, StoreError
from daemon.events import EventRing
from daemon.fetches import Fetches
from daemon.flows import Flows
from daemon.guard import App, Guard
from daemon.learning.auditor import Auditor
from daemon.learning.conversations import Conversations
from daemon.learning.corrections import Corrections
from daemon.learning.learner import Learner
from daemon.log_ring import LogRing
from daemon.metrics.counting import Metrics
from daemon.metrics.naming import SetUp
from daemon.money.days import day_of
from daemon.money.price_book import PriceBook
from daemon.money.purses import Purses, Standing, warning_of
from daemon.network import WATCHED_S, Network
from daemon.paths import Paths, at_home
from daemon.pictures.fetching import Fetching
from daemon.pictures.service import Pictures
from daemon.pipeline import Pipeline, Rooms
from daemon.pool import Pool, local_models
from daemon.pool import rules_of as pool_rules_of
from daemon.preview import routes as preview
from daemon.protocols.base import Problem
from daemon.protocols.dialects import dialect, status
from daemon.protocols.errors import problem
from daemon.rate_store import RateStore
from daemon.receipts.store import Receipts
from daemon.recipes.embedder import Embedder
from daemon.records import Store
from daemon.reducing import Reducer
from daemon.routing.book import Book
from daemon.routing.edition import House
from daemon.routing.selection.choosing import Chooser
from daemon.routing.sessions import Sessions
from daemon.routing.shelf import Shelf
from daemon.routing.speeds import Speeds
from daemon.settings import Settings, SettingsFile
from daemon.signals.dictionary import Shelf as Words
from daemon.signals.entailment import Entailment
from daemon.signals.knowledge import KnowledgeBase
from daemon.signals.observe import Observer
from daemon.signals.own_classifiers import OwnClassifiers
from daemon.signals.own_rules import rules_of
from daemon.signals.parts import Parts
from daemon.signals.picture_likeness import own_pictures
from daemon.stored_keys import StoredKeys
from daemon.surfaces import routes as surfaces
from daemon.surfaces.served import Served
from daemon.tools.gate import ToolGate
from daemon.tools.weighing import Weighing
from daemon.upstreams.link import link, watch
from daemon.upstreams.upstreams import Row as UpstreamRow
from daemon.upstreams.upstreams import Upstreams, way_to
from daemon.version import version
from daemon.wall import Wall
from daemon.wire import Receipt
from edge_models.confinement.environment import hide
from edge_models.vision.limits import USUAL
from edge_models.vision.process import EyesProcess
from providers.cleared import Place, Provider
from providers.contract import KeyRejected, ProviderError
from providers.places import address_of, place_of_model, url_of
from providers.places import place_of as place_of_url

GRACE_S: Final = 3.0
"""How long answers in flight may go on when the daemon stops; the server itself gives up two seconds later."""
log: Final = logging.getLogger("nearloop")


class Daemon:
    """All parts of one daemon. `app` is what a server runs; `events` is what a foreground terminal listens to."""

    def __init__(
        self, file: SettingsFile, paths: Paths, port: int, admin_token: str, clock: Clock, stop: Callable[[], None]
    ) -> None:
        settings = file.settings
        hide(settings.key_variables)
        store = Store(paths.records, clock)
        self.events = EventRing(clock, self._picture)
        devices = Devices(paths.models, paths.probes, self.events, clock)
        self.pool = Pool(
            local_models(settings),
            pool_rules_of(settings),
            paths.models,
            self.events,
            clock,
            devices,
            speeds=RateStore(paths.speeds),
        )
        fetches = Fetches(self.events)
        log_ring = LogRing(clock, lambda: self.events.emit("log", {}))
        approvals = Approvals(paths.approvals)
        self.holds = Holds(approvals, clock, settings.policy.ask_s, self._tell)
        receipts = Receipts(paths.receipts, clock, "daemon", self._receipt_written)
        keys = keys_of(settings)
        network = Network(clock)
        outside = providers_of(settings, receipts, keys, network, self.events, clock)
        providers, upstreams = outside.providers, outside.upstreams
        observer = observer_of(settings, providers)
        shelf = Shelf(paths.recipes, clock)
        book = Book(settings, paths.config, house_of(settings, observer.parts), shelf, self._recipe_changed)
        named = [Candidate(name, row.models[0]) for name, row in settings.providers.items() if row.models]
        near = [each for each in named if runs_here(providers[each.provider], each.model)]
        conversations, profiles = Conversations(clock), Profiles(paths.confidence, shipped_profiles())
        learner = Learner(profiles, conversations, Corrections(observer.parts).reject, clock, on=settings.policy.learn)
        auditor = Auditor(
            store, learner, clock, settings.policy.audit_share, settings.policy.audit_per_day, random.random
        )
        rooms = Rooms(
            pool=self.pool,
            providers=providers,
            upstreams=upstreams,
            cloud=tuple(each for each in named if each not in near),
            near=tuple(near),
            observer=observer,
            book=book,
            chooser=Chooser(self.pool.infos, Speeds(), Sessions(clock), observer.parts.vectors),
            desk=Desk(
                Policies(settings), approvals, self.holds, Vault(clock=clock), providers, settings.policy.sinks == "ask"
            ),
            switch=Switch(paths.local_only),
            network=network,
            receipts=receipts,
            reducer=Reducer(self.pool, observer.parts.vectors, settings.policy.reducer),
            profiles=profiles,
            conversations=conversations,
            learner=learner,
            auditor=auditor,
            escalate_below=settings.policy.escalate_below,
            hedges=settings.policy.hedge,
            weighing=Weighing(settings.tools, ToolGate(observer.parts.vectors, settings.tools.fitting)),
            patience_s=settings.policy.patience_s,
            head_start_s=settings.policy.head_start_s,
            wait_s=settings.pool.wait_s,
            budget=settings.budget,
            allowances=Allowances({name: client.per_day for name, client in settings.clients.items()}, clock),
            purses=Purses(settings.spending, clock, self._limit_near),
            price_book=PriceBook(settings),
            meter=EnergyMeter(),
            flows=Flows(paths.flows, settings.records.content, clock),
            wall=Wall(clock, settings.records.glass_wall),
            pictures=pictures_of(settings, clock, receipts, Switch(paths.local_only)),
        )
        rooms.take_harmless(settings.dictionary.harmless)
        pipeline = Pipeline(rooms, store, self.events, clock, settings.records.content)
        pipeline.forgets.append(rooms.desk.vault.signed.forget_older)
        callers = Callers(admin_token, settings.clients)
        served = Served(pipeline, callers, clock)
        self.state = State(
            port, self.pool, store, self.events, pipeline, callers, approvals, devices, fetches, clock, stop
        )

        metrics = Metrics(SetUp(lambda: book.settings, self.pool.names, book.names), self.state.moment)
        self.events.listen(metrics.hear)
        self.state.takers.append(partial(take_keys, keys))

        @asynccontextmanager
        async def lifespan(_: Litestar) -> AsyncIterator[None]:
            observer.warm()
            book.warm()
            receipts.started(version(), os.getpid())
            try:
                rooms.allowances.recall(await store.taken(begin_of_day(clock.now())))
                month = day_of(clock.now()).replace(day=1)
                for day, provider, project, client, nano in await store.spent_since(month):
                    rooms.purses.recall(date.fromisoformat(day), provider, project, client, nano)
                rooms.purses.recalled()
            except StoreError as error:  # a warning tells it; a daemon without a past is better than none
                store.failure = str(error)
            async with (
                log_ring.listening(),
                asyncio.TaskGroup() as group,
                devices.running(),
                fetches.running(),
                self.pool.running(),
            ):
                tasks = [
                    group.create_task(store.keep(settings.records.keep_days)),
                    group.create_task(receipts.keep(settings.records.receipts_keep_days)),
                    group.create_task(book.watch()),
                    group.create_task(learner.run()),
                    group.create_task(auditor.run()),
                    group.create_task(rooms.wall.keep()),
                    group.create_task(rooms.pictures.keep()),
                    group.create_task(served.turns.watch()),
                    group.create_task(idle_probe.watch(devices, self.pool.idle)),
                ]
                if providers and (changes := link()) is not None:
                    network.fresh_s = WATCHED_S
                    tasks.append(group.create_task(watch(changes, upstreams.moved)))
                yield
                for task in tasks:
                    task.cancel()
            await outside.close()
            book.close()
            observer.close()
            observer.parts.close()
            await rooms.pictures.close_connections()
            await asyncio.to_thread(rooms.pictures.close)
            receipts.stopped()
            receipts.close()
            store.close()

        litestar = Litestar(
            route_handlers=[
                *surfaces.routes(served),
                *classify.routes(observer.parts, callers, settings.signals.deadline_s),
                *preview.routes(pipeline, callers),
                *control.routes(self.state, callers, file),
                *provider_routes(providers, upstreams, keys, rooms.switch, callers, file, self.state.settings_changed),
                *log_routes(log_ring, callers, paths.log),
                *metrics_routes(metrics, callers),
            ],
            exception_handlers={Exception: _refuse},
            lifespan=[lifespan],
            request_max_body_size=None,  # the guard has the user's limit
            openapi_config=None,  # its pages load scripts from other hosts
            logging_config=None,  # Litestar's turns every library's INFO on
        )
        limit = settings.server.body_limit_mb << 20
        self.app: App = Guard(
            litestar,  # type: ignore[arg-type]
            callers,
            settings.server.hosts,
            settings.server.origins,
            limit,
            clock.monotonic,
        )

    def stopping(self) -> None:
        """The server takes no more requests: send watchers home, and end what still runs after a moment."""
        self.events.close()
        self.holds.close()
        asyncio.get_running_loop().call_later(GRACE_S, self.pool.end_all)

    def _recipe_changed(self) -> None:
        self.events.emit("recipe", recipe_info(self.state.book))

    def _receipt_written(self, receipt: Receipt) -> None:
        self.events.emit("receipt", receipt, receipt.record)

    def _limit_near(self, standing: Standing) -> None:
        self.events.emit("spending", warning_of(standing))

    def _tell(self, hold: Hold, stage: Stage) -> None:
        self.events.emit("approval", news(hold, stage), hold.question.record)

    async def _picture(self) -> dict[str, Any]:
        shown: dict[str, Any] = msgspec.to_builtins(await self.state.status())
        return shown


def observer_of(settings: Settings, providers: Mapping[str, Provider]) -> Observer:
    """The signals. Votes of a model on personal data are asked for only where something could leave this machine."""
    rules = settings.signals
    groups = {name: client.groups for name, client in settings.clients.items()}
    parts = Parts(
        guard=True,
        votes=any(provider.place is not Place.DEVICE for provider in providers.values()),
        groups_of=lambda client: groups.get(client, ()),
        classifiers=OwnClassifiers(at_home(rules.classifiers) if rules.classifiers else None),
        entailment=Entailment(at_home(rules.entailment) if rules.entailment else None),
        pictures=own_pictures(at_home(rules.pictures), rules.pictures_weights) if rules.pictures else None,
        dictionary=Words(settings.dictionary),
        reduce=asked_for(settings),
    )
    return Observer(rules_of(rules), parts, rules.failures, rules.deadline_s)


def pictures_of(settings: Settings, clock: Clock, receipts: Receipts, switch: Switch) -> Pictures:
    """What looks at pictures. Without hosts to fetch them from, no HTTP client is loaded."""
    rules = settings.pictures
    limits = replace(USUAL, size_bytes=rules.size_mb << 20, pixels=rules.megapixels * 1_000_000, pages=rules.pages)
    eyes = EyesProcess(limits, keys=settings.key_variables) if rules.look else None
    fetching = None
    if eyes is not None and rules.fetch_from:
        from providers.picture_hosts import PictureHosts

        hosts = PictureHosts(rules.fetch_from, version(), receipts.witness(), limits.size_bytes)
        fetching = Fetching(hosts, switch, clock)
    return Pictures(eyes, clock, settings.signals.deadline_s, rules.most, limits.size_bytes, fetching)


def house_of(settings: Settings, shared: Parts) -> House:
    """What recipes need: the same models and limits as the settings' own signals have."""

    def parts(bases: dict[str, KnowledgeBase], embedder: Embedder | None) -> Parts:
        return Parts(
            shared.heads,
            shared.vectors,
            guard=shared.guard,
            votes=shared.votes,
            groups_of=shared.groups,
            bases=bases,
            classifiers=shared.classifiers,
            embedder=embedder,
            dictionary=shared.dictionary,
            reduce=shared.reduce,
            pictures=shared.pictures,
        )

    rules = settings.signals
    return House(parts, rules.failures, rules.deadline_s, rules.likeness == "own")


def runs_here(provider: Provider, model: str) -> bool:
    """Whether a provider's model is confirmed to run on this machine."""
    return place_of_model(provider.place, model) is Place.DEVICE


class Outside:
    """Who can be asked over HTTP. close: ends their connections."""

    def __init__(
        self, providers: dict[str, Provider], upstreams: Upstreams, close: Callable[[], Awaitable[None]]
    ) -> None:
        self.providers = providers
        self.upstreams = upstreams
        self.close = close


async def _nothing() -> None:
    """There is nothing to close."""


def keys_of(settings: Settings) -> dict[str, StoredKeys]:
    """The providers' keys, none of which is read before it is needed."""
    return {
        name: StoredKeys(name, row.sources, place_of_url(row.base_url, row.place).value)
        for name, row in settings.providers.items()
    }


def take_keys(keys: Mapping[str, StoredKeys], settings: Settings) -> None:
    """Where the keys of those that run are by new settings."""
    hide(settings.key_variables)
    for name, row in settings.providers.items():
        if name in keys:
            keys[name].take(row.sources)


def providers_of(
    settings: Settings,
    receipts: Receipts,
    keys: Mapping[str, StoredKeys],
    network: Network,
    events: EventRing,
    clock: Clock,
) -> Outside:
    """Those of the settings, by name, and what ends their connections. Without any, no HTTP client is loaded."""
    if not settings.providers:
        return Outside({}, Upstreams({}, network, events, clock, random.random), _nothing)
    from providers.http import Http
    from providers.proxies import proxied
    from providers.registry import provider_of, target_of

    http = Http(version(), receipts.witness())
    made: dict[str, Provider] = {}
    rows = {}
    for name, row in settings.providers.items():
        place = place_of_url(row.base_url, row.place)
        way = way_to(address_of(url_of(row.base_url).host or ""), proxied(url_of(row.base_url)))
        rows[name] = UpstreamRow(place, row.concurrent, way)
    upstreams = Upstreams(rows, network, events, clock, random.random, settings.server.queue, http.renew)
    for name, row in settings.providers.items():
        place = rows[name].place
        target = target_of(name, row.base_url, place, row.reasoning, row.accepts, row.api_version, row.cache)
        made[name] = provider_of(row.wire, http, target, keys[name], partial(upstreams.heard, name))
    return Outside(made, upstreams, http.close)


def _refuse(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The one door for errors of a route: what was planned is told, what was not is logged without its words."""
    found = _problem(error)
    if found.status == 500 and found.code == "internal_error":
        log.error("%s in %s", type(error).__name__, place_of(error))
    codec = dialect(request.scope["path"], request.scope["headers"])
    headers = {}
    if found.retry_after_s is not None:
        headers["retry-after"] = str(math.ceil(found.retry_after_s))
    if found.status in (401, 403) or isinstance(error, KeyRejected | DailyLimit):
        headers["x-should-retry"] = "false"  # asking again changes nothing; the official SDKs obey this
    if record := request.state.get("record"):
        headers["x-nearloop-record"] = record
        if codec.HABITS.id_header:
            headers[codec.HABITS.id_header] = record
    return Response(
        codec.refusal(found),
        status_code=status(codec, found),
        media_type="application/json",
        headers=headers,
    )


def _problem(error: Exception) -> Problem:
    if isinstance(error, NearloopError | ProviderError) or not isinstance(error, HTTPException):
        return problem(error)
    match error.status_code:
        case 404:
            return Problem(
                404, "not_found", "there is nothing at this address: see docs/connect.md for those there are"
            )
        case 405:
            return Problem(405, "method_not_allowed", "this address does not take this method")
        case 400:
            fields = [str(item["key"]) for item in error.extra or () if isinstance(item, dict) and "key" in item]
            return Problem(400, "bad_request", f"a parameter is not valid: {', '.join(fields) or 'check the request'}")
        case status:
            return Problem(status, "http_error", "the request was refused")

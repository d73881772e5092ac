"""What the control API shows: the daemon's parts, and the picture that is made of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from daemon.addresses import urls
from daemon.allowances import Allowances
from daemon.boundary.approvals import Approvals
from daemon.boundary.holds import Holds
from daemon.boundary.policy import Policies
from daemon.callers import Callers
from daemon.clock import Clock
from daemon.confidence.outcomes import outcome_of
from daemon.devices import Devices
from daemon.errors import BadRequest, StoreError
from daemon.events import EventRing
from daemon.fetches import Fetches
from daemon.health import warnings
from daemon.metrics.base import Now
from daemon.money.price_book import PriceBook
from daemon.money.purses import Purses
from daemon.pipeline import Pipeline
from daemon.pool import Pool, local_models, rules_of
from daemon.receipts.store import Receipts
from daemon.records import Store, before
from daemon.routing.book import Book
from daemon.settings import Settings
from daemon.version import version
from daemon.wall import Wall
from daemon.wire import Forgotten, Learned, Privacy, Record, RecordDetail, Status, Taught


class State:
    """The running daemon, seen from outside. stop: ends it."""

    def __init__(
        self,
        port: int,
        pool: Pool,
        store: Store,
        events: EventRing,
        pipeline: Pipeline,
        callers: Callers,
        approvals: Approvals,
        devices: Devices,
        fetches: Fetches,
        clock: Clock,
        stop: Callable[[], None],
    ) -> None:
        self.pool = pool
        self.store = store
        self.events = events
        self.approvals = approvals
        self.devices = devices
        self.fetches = fetches
        self.stop = stop
        self.ollama_trouble: str | None = None
        """Why the second port of the settings is not listened on."""
        self.exposed: tuple[str, ...] = ()
        """Addresses that are listened on, and that other machines may reach."""
        self.takers: list[Callable[[Settings], None]] = []
        """Who else takes in new settings."""
        self.started_at: datetime = clock.now()
        self._port = port
        self._pipeline = pipeline
        self._callers = callers
        self.clock = clock
        self._began = clock.monotonic()

    async def purge(self, older_than: timedelta) -> int:
        """Delete records, and words in memory that are as old, and tell watchers; returns how many records. Raises
        StoreError.
        """
        for forget in self._pipeline.forgets:
            forget(older_than)
        await self.store.flush()
        deleted = await self.store.purge(older_than)
        forgotten = Forgotten(before(self.clock.now(), older_than))
        self.events.forget(forgotten.before)
        self.events.emit("purged", forgotten)
        return deleted

    async def find(self, prefix: str) -> RecordDetail:
        """The one record whose id starts so, and what was learned from it. Raises NotFound."""
        found = await self.store.find(prefix)
        known = await asyncio.to_thread(self._pipeline.rooms.profiles.outcomes_of, found.record.id)
        return replace(found, taught=tuple(Taught(each.via, each.right, each.family, each.at) for each in known))

    async def learn(self, record: Record, right: bool) -> Learned:
        """Take in whether a local answer was right. Raises BadRequest if nothing was stated of it."""
        outcome = outcome_of(record, right, self.clock.now())
        if outcome is None:
            raise BadRequest(
                "nothing can be learned from this answer: it was not a local model's, or no calibration spoke for it "
                "(`nearloop calibrate` makes one)",
                "id",
            )
        profiles = self._pipeline.rooms.profiles
        known = await asyncio.to_thread(profiles.add, outcome)
        return Learned(outcome.record, outcome.family, known)

    async def status(self) -> Status:
        """The whole picture."""
        try:
            records: int | None = await self.store.count()
        except StoreError as error:
            records, self.store.failure = None, str(error)
        exposed = urls(self.exposed, self._port)
        return Status(
            version=version(),
            pid=os.getpid(),
            port=self._port,
            started_at=self.started_at,
            uptime_s=round(self.clock.monotonic() - self._began, 3),
            models=self.pool.infos(),
            warnings=warnings(
                self.pool.infos(),
                self.store,
                self._missing_signal_models(),
                self.book,
                self.ollama_trouble,
                exposed,
                self._callers.clients,
                (*self.receipts.warnings(), *self.purses.warnings()),
                self._pipeline.rooms.upstreams.all,
            ),
            requests=self._pipeline.requests,
            in_flight=self._pipeline.in_flight,
            records=records,
            recipe=self.book.edition.source.name if self.book.edition else None,
            local_only=self._pipeline.rooms.switch.on,
            exposed=exposed,
            waiting=len(self.holds.waiting),
        )

    def moment(self) -> Now:
        """What metrics read of it. Nothing is waited for."""
        rooms = self._pipeline.rooms
        return Now(
            version=version(),
            started_at=self.started_at,
            in_flight=self._pipeline.in_flight,
            waiting=len(self.holds.waiting),
            local_only=rooms.switch.on,
            models=self.pool.infos(),
            busy=rooms.chooser.speeds.all_busy(),
            dropped=self.store.dropped,
            painted=rooms.pictures.painted,
            boxes=rooms.pictures.boxes,
        )

    @property
    def privacy(self) -> Privacy:
        """What may leave."""
        rooms = self._pipeline.rooms
        return Privacy(rooms.switch.on, rooms.desk.policies.everybodys.privacy)

    def set_local_only(self, on: bool) -> Privacy:
        """Turn the switch, and tell who watches. Raises StoreError."""
        self._pipeline.rooms.switch.turn(on)
        self.events.emit("privacy", self.privacy)
        return self.privacy

    def _missing_signal_models(self) -> tuple[str, ...]:
        """Why those that somebody asked could not be opened."""
        parts = self._pipeline.rooms.observer.parts
        return tuple(why for why in (parts.heads.why, parts.vectors.why) if why is not None)

    @property
    def holds(self) -> Holds:
        """What waits for the user's word."""
        return self._pipeline.rooms.desk.holds

    @property
    def allowances(self) -> Allowances:
        """What clients may take a day, and took."""
        return self._pipeline.rooms.allowances

    @property
    def purses(self) -> Purses:
        """What may be spent in clouds, and was."""
        return self._pipeline.rooms.purses

    @property
    def policies(self) -> Policies:
        """What the settings say of what may leave."""
        return self._pipeline.rooms.desk.policies

    @property
    def receipts(self) -> Receipts:
        """What left."""
        return self._pipeline.rooms.receipts

    @property
    def wall(self) -> Wall:
        """What is held of requests for the owner to see."""
        return self._pipeline.rooms.wall

    @property
    def book(self) -> Book:
        """The recipes."""
        return self._pipeline.rooms.book

    def settings_changed(self, settings: Settings) -> None:
        """Take new settings in, as far as they can change while running."""
        self._callers.replace(settings.clients)
        self.allowances.replace({name: client.per_day for name, client in settings.clients.items()})
        self.purses.replace(settings.spending)
        self._pipeline.rooms.price_book = PriceBook(settings)
        self.book.settings = settings
        self._pipeline.rooms.observer.parts.dictionary.take(settings.dictionary)
        self._pipeline.rooms.take_harmless(settings.dictionary.harmless)
        self.pool.replace(local_models(settings), rules_of(settings))
        for take in self.takers:
            take(settings)
        self.events.emit("settings", {"clients": list(settings.clients), "models": list(self.pool.names())})

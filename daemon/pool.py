"""The local models together: which there are, and what they may take of this machine's memory.

Theory of operation. Before a model is loaded, what it will come to is held against what is free; if it does not fit, models
that nobody uses are unloaded, longest unused first, and never one that is answering or pinned. One is considered at a time,
so that two can't take the same room. Every TIDY_S those that nobody asked for as long as they are kept are unloaded, and one
idle model for each round in which the machine itself is short of memory.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

import psutil
from msgspec import Struct
from msgspec.structs import replace

from daemon import machine_memory
from daemon.clock import Clock
from daemon.devices import Devices
from daemon.errors import Busy, NoCandidate, UnknownModel
from daemon.events import EventRing
from daemon.local_model import RETRY_FAILED_S, LocalModel, Room, Terms
from daemon.machine_memory import Memory
from daemon.paths import at_home
from daemon.rate_store import RateStore
from daemon.room import Tenant, make_room
from daemon.settings import Settings
from daemon.wire import Model as ModelInfo
from edge_models.catalog import CATALOG, ModelRef
from edge_models.estimate import estimate_bytes

log: Final = logging.getLogger("nearloop.pool")

STOPPING: Final = "Nearloop is stopping: ask again when it is up"
TIDY_S: Final = 5.0
"""A look costs 0.1 ms; a model that is unloaded a few seconds late harms nobody."""
SHORT_OF_MEMORY: Final = 0.05
"""The share of memory still available at which the machine is short of it: below it Linux and macOS begin to swap."""
CAP_FACTOR: Final = 2
CAP_ROOM_BYTES: Final = 1 << 30
CAP_CORE_BYTES: Final = 16 << 20
"""A worker's cap is its estimate twice, and room: it shall stop what runs away, not what is large. SmolLM2 (estimate 0.76
GB) came to 1.0 GB of private writable memory where it was also converted; a thread's stack, of which there is one a core,
counts 8 MB before it is touched."""

Why = Literal["idle", "room", "memory", "asked"]


class Rules(Struct, frozen=True):
    """What the user lets the models have. terms: by name, and for all others (None)."""

    terms: dict[str | None, Terms]
    memory_share: float = 0.7

    def of(self, name: str) -> Terms:
        """A model's terms."""
        return self.terms.get(name) or self.terms[None]


def local_models(settings: Settings) -> tuple[ModelRef, ...]:
    """The models of this machine, `local` first: the user's own, then what is known by name."""
    own = tuple(
        ModelRef(name, model.engine, str(at_home(model.path)) if model.path else "", model.device)
        for name, model in settings.models.items()
    )
    return own + tuple(ModelRef(entry.name, entry.engine) for entry in CATALOG if entry.name not in settings.models)


def rules_of(settings: Settings) -> Rules:
    """The rules for `local_models` of the same settings."""
    pool = settings.pool
    keys = settings.key_variables
    terms: dict[str | None, Terms] = {None: Terms(settings.server.queue, _keep_s(pool.keep), keys=keys)}
    for place, ref in enumerate(local_models(settings)):
        model = settings.models.get(ref.name)
        keep = (model.keep if model else None) or (pool.keep if place else pool.keep_default)
        cap = model.memory_mb << 20 if model and model.memory_mb else None
        terms[ref.name] = Terms(settings.server.queue, _keep_s(keep), cap, keys)
    return Rules(terms, pool.memory_share)


def _keep_s(keep: str) -> float | None:
    if keep == "pinned":
        return None
    return float(keep[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[keep[-1]]


class Pool:
    """All local models. Enter it to have them kept, leave it to have them stopped."""

    def __init__(
        self,
        models: tuple[ModelRef, ...],
        rules: Rules,
        cache_dir: Path,
        events: EventRing,
        clock: Clock,
        devices: Devices | None = None,
        memory: Callable[[], Memory] = machine_memory.look,
        estimate: Callable[[ModelRef], int | None] = estimate_bytes,
        speeds: RateStore | None = None,
    ) -> None:
        """models: the default first, which is loaded at once; the others when they are asked for. speeds: keeps how fast
        they are.
        """
        self._speeds = speeds
        self._events = events
        self._devices = devices
        self._cache_dir = cache_dir
        self._rules = rules
        self._clock = clock
        self._memory = memory
        self._estimate = estimate
        self._pinned: set[str] = set()
        self._one_at_a_time = asyncio.Lock()
        self._keepers: dict[str, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None
        self.models = {ref.name: self._made(ref) for ref in models}

    def _made(self, ref: ModelRef) -> LocalModel:
        return LocalModel(
            ref,
            self._terms_of(ref.name),
            self._cache_dir,
            self._clock,
            self._changed,
            self._find_room,
            self._devices,
            self._speeds,
        )

    def _terms_of(self, name: str) -> Terms:
        terms = self._rules.of(name)
        return replace(terms, keep_s=None) if name in self._pinned else terms

    def pin(self, name: str, pinned: bool) -> LocalModel:
        """Have a model stay loaded until this ends, or as the rules say. Raises UnknownModel."""
        model = self.find(name)
        if pinned:
            self._pinned.add(name)
        else:
            self._pinned.discard(name)
        model.terms = self._terms_of(name)
        self._changed(model)
        return model

    def _changed(self, model: LocalModel) -> None:
        self._events.emit("model", model.info())

    def names(self) -> tuple[str, ...]:
        """In order; the first one is `local`."""
        return tuple(self.models)

    def find(self, name: str) -> LocalModel:
        """By bare name. Raises UnknownModel."""
        try:
            return self.models[name]
        except KeyError:
            raise UnknownModel(f"no local model has this name; there are: {', '.join(self.models)}") from None

    def infos(self) -> tuple[ModelInfo, ...]:
        """All of them, as the control API shows them."""
        return tuple(model.info() for model in self.models.values())

    def idle(self) -> tuple[ModelRef, ...] | None:
        """Those that are loaded; None while a request is in any of them or in front of it."""
        if any(model.queue.running or model.queue.waiting for model in self.models.values()):
            return None
        return tuple(model.ref for model in self.models.values() if model.state == "ready")

    def replace(self, models: tuple[ModelRef, ...], rules: Rules) -> None:
        """Have these from now on, while `running`. What stays is not disturbed; what goes ends its requests."""
        self._rules = rules
        stay = {name: model for name, model in self.models.items() if model.ref in models}
        for name in self.models.keys() - stay.keys():
            self.models[name].remove()
            self._keepers.pop(name).cancel()
        for name, model in stay.items():
            model.terms = self._terms_of(name)
        self.models = {ref.name: stay.get(ref.name) or self._made(ref) for ref in models}
        self._keep()

    def end_all(self) -> None:
        """End every request in flight or in line, because the daemon stops."""
        for model in self.models.values():
            model.end_all(NoCandidate(STOPPING, RETRY_FAILED_S))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the models until the block ends."""
        async with asyncio.TaskGroup() as self._group:
            tidying = self._group.create_task(self._tidy_again_and_again(), name="tidy models")
            self._keep()
            try:
                yield
            finally:
                tidying.cancel()
                for keeper in self._keepers.values():
                    keeper.cancel()
                await self._keep_rates()

    def _keep(self) -> None:
        assert self._group
        for name, model in self.models.items():
            if name not in self._keepers:
                self._keepers[name] = self._group.create_task(model.keep(), name=f"keep {name}")
        self.find(self.names()[0]).want()

    # -- room

    async def _find_room(self, model: LocalModel) -> Room:
        """Unload what has to go for this model. Raises DoesNotFit."""
        estimate = await asyncio.to_thread(self._estimate, model.ref)
        async with self._one_at_a_time:
            while estimate is not None and (going := self._who_must_go(model, estimate)):
                await self._unload_if_idle(self.find(going[0].removeprefix("local/")), "room")
            cap = model.terms.memory_cap_bytes or _cap_bytes(estimate, self._memory().total_bytes)
            model.room = Room(estimate, cap)  # before the next one looks
            return model.room

    def _who_must_go(self, model: LocalModel, estimate: int) -> tuple[str, ...]:
        others = tuple(_tenant(other) for other in self.models.values() if other.room is not None)
        return make_room(f"local/{model.ref.name}", estimate, others, self._memory(), self._rules.memory_share)

    async def unload(self, name: str, why: Why = "asked") -> LocalModel:
        """Unload a model. Raises Busy, UnknownModel."""
        model = self.find(name)
        await model.unload()
        log.info("unloaded %s: %s", name, why)
        self._events.emit("unloaded", {"model": f"local/{name}", "why": why})
        return model

    async def tidy(self) -> None:
        """Unload what nobody asked for in its time, and one idle model if the machine is short of memory."""
        now = self._clock.monotonic()
        idle = sorted(
            (model for model in self.models.values() if model.state == "ready" and not model.busy),
            key=lambda model: model.last_used,
        )
        movable = [model for model in idle if model.keep_s is not None]
        for model in movable:
            if now - model.last_used >= (model.keep_s or 0):
                await self._unload_if_idle(model, "idle")
        memory = self._memory()
        if movable and memory.available_bytes < memory.total_bytes * SHORT_OF_MEMORY:
            await self._unload_if_idle(movable[0], "memory")

    async def _unload_if_idle(self, model: LocalModel, why: Why) -> None:
        try:
            await self.unload(model.ref.name, why)
        except (Busy, UnknownModel):
            return  # somebody asked for it meanwhile, or it was taken out

    async def _tidy_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(TIDY_S)
            await self.tidy()
            await self._keep_rates()

    async def _keep_rates(self) -> None:
        for model in tuple(self.models.values()):
            await model.keep_rates()


def _tenant(model: LocalModel) -> Tenant:
    resident = 0
    if model.pid is not None:
        try:
            resident = psutil.Process(model.pid).memory_info().rss
        except psutil.Error:
            resident = 0  # it has just ended
    return Tenant(
        name=f"local/{model.ref.name}",
        reserved_bytes=(model.room.estimate_bytes or 0) if model.room else 0,
        resident_bytes=resident,
        pinned=model.terms.keep_s is None,
        busy=model.busy or model.state != "ready",
        last_used=model.last_used,
    )


def _cap_bytes(estimate: int | None, total_bytes: int) -> int:
    """What a worker may take at most: never more than there is."""
    if estimate is None:
        return total_bytes
    return min(total_bytes, CAP_FACTOR * estimate + CAP_ROOM_BYTES + CAP_CORE_BYTES * (os.cpu_count() or 1))

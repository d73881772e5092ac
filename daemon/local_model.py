"""One local model: its process, which is loaded when wanted and started anew when it dies, and the line in front of it.

Theory of operation. One task, `keep`, lives as long as the model is known, and is the only one that starts processes. It
sleeps while the model is cold; a wish wakes it. It asks for room, loads, serves until the process ends, and then either
starts it anew (it died) or sleeps again (it was unloaded, which only happens while nobody is answered or waits). Who waits
in line stays there over deaths, and is sent home with the reason when a model is given up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.clock import Clock
from daemon.devices import Devices, Placement
from daemon.errors import Busy, DoesNotFit, NoCandidate
from daemon.fair_queue import FairQueue, Place
from daemon.rate_store import RateStore
from daemon.rates import Rates, Speeds
from daemon.wire import Model as ModelInfo
from daemon.wire import ModelState
from daemon.worker_process import WorkerLost, WorkerProcess
from edge_models.catalog import CATALOG, ModelRef
from edge_models.ipc import Loading

log: Final = logging.getLogger("nearloop.pool")

BACK_OFF_S: Final = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Before restart number n of a worker that served nothing; one that served starts from the front again."""
GIVE_UP_AFTER: Final = 5
"""Deaths in a row without one answer, after which those who wait are told instead of kept waiting."""
REMOVED: Final = "this model was taken out of the settings: `nearloop models list` shows those there are"
OPERATOR: Final = "operator"
"""Whose place in the line it is that the user loads a model by."""
RETRY_FAILED_S: Final = 5.0
"""A model that can't load (file missing, wrong hash) is tried again when asked for, at most this often."""


class Terms(Struct, frozen=True):
    """What the user lets a model have. queue: how many may wait. keep_s: how long it stays without a request; None: always.

    memory_cap_bytes: None: by its estimate. keys: variables that its process must not see.
    """

    queue: int
    keep_s: float | None
    memory_cap_bytes: int | None = None
    keys: tuple[str, ...] = ()


class Room(Struct, frozen=True):
    """What was found out before loading. estimate_bytes: what the model comes to. memory_cap_bytes: what it may take."""

    estimate_bytes: int | None = None
    memory_cap_bytes: int | None = None


class Lease:
    """A request's hold on a model: first a place in its line, then a slot in its process."""

    def __init__(self, model: LocalModel, place: Place) -> None:
        self._model = model
        self._place = place

    async def stages(self, until: float | None = None) -> AsyncIterator[tuple[ModelState, float | None]]:
        """Wait for the slot: each state that the model comes to meanwhile, and how far it is in it.

        until: of the event loop's time. Raises Overloaded when it is over, NoCandidate if the model is given up.
        """
        while not await self._place.comes(until, self._model.news):
            yield self._model.state, self._model.fraction

    @property
    def worker(self) -> WorkerProcess:
        """The process, once `stages` has ended. Raises WorkerLost if it died in that very moment."""
        if self._model.worker is None:
            raise WorkerLost("the model's process has just ended and is started again: ask once more", 1.0)
        return self._model.worker

    def leave(self) -> None:
        """Give the slot back; more than once is fine."""
        self._model.used()
        self._place.leave()


class LocalModel:
    """One model: at most one worker process, kept alive, and the line of requests for it."""

    def __init__(
        self,
        ref: ModelRef,
        terms: Terms,
        cache_dir: Path,
        clock: Clock,
        changed: Callable[[LocalModel], None],
        find_room: Callable[[LocalModel], Awaitable[Room]],
        devices: Devices | None = None,
        speeds: RateStore | None = None,
    ) -> None:
        """changed: called with each new state. find_room: called before loading; raises DoesNotFit.

        devices: chooses where it runs; without, it runs where `ref` says. speeds: keeps how fast it is there.
        """
        self.ref = ref
        self._devices = devices
        self._placement = Placement(ref, "")
        self._context_tokens: int | None = None  # known from its first loading on, also while it is not loaded
        self.demonstration = any(entry.name == ref.name and entry.demonstration for entry in CATALOG) and not ref.path
        self.state: ModelState = "cold"
        self.fraction: float | None = None
        self.error: str | None = None
        self.restarts = 0
        self.worker: WorkerProcess | None = None
        """The process, while it is ready."""
        self.room: Room | None = None
        """What it holds of the machine, from before it is loaded until its process is gone."""
        self.last_used = clock.monotonic()
        self.asked_keep_s: float | None = None
        """How long who used it last wants it kept; None: it did not say."""
        self.queue = FairQueue(terms.queue)
        self.rates = Rates(clock.monotonic)
        """Of where it was loaded last."""
        self._measured_on: str | None = None
        self._speeds = speeds
        self._terms = terms
        self._cache_dir = cache_dir
        self._clock = clock
        self._changed = changed
        self._find_room = find_room
        self._wanted = asyncio.Event()
        self._news: asyncio.Future[None] | None = None  # there while somebody waits
        self._process: WorkerProcess | None = None
        self._unloading = False
        self._may_retry = True
        self._removed = False

    @property
    def terms(self) -> Terms:
        """What it may have; may be changed while it runs, and its cap holds from its next loading on."""
        return self._terms

    @terms.setter
    def terms(self, terms: Terms) -> None:
        self._terms = terms
        self.queue.limit = terms.queue

    @property
    def keep_s(self) -> float | None:
        """How long it stays without a request: as the user has it, or shorter if who used it last wants so. None: always."""
        if self._terms.keep_s is None or self.asked_keep_s is None:
            return self._terms.keep_s
        return min(self._terms.keep_s, self.asked_keep_s)

    @property
    def busy(self) -> bool:
        """Whether somebody is answered by it, or waits for it."""
        return bool(self.queue.running or self.queue.waiting)

    @property
    def pid(self) -> int | None:
        """Of its process, loading or loaded."""
        return self._process.pid if self._process else None

    @property
    def news(self) -> asyncio.Future[None]:
        """Done at the next change of its state."""
        if self._news is None:
            self._news = asyncio.get_running_loop().create_future()
        return self._news

    def info(self) -> ModelInfo:
        """As the control API shows it."""
        worker = self.worker
        ready = worker.ready if worker else None
        hello = worker.hello if worker else None
        return ModelInfo(
            name=f"local/{self.ref.name}",
            engine=self.ref.engine,
            state=self.state,
            demonstration=self.demonstration,
            fraction=self.fraction,
            context_tokens=self._context_tokens,
            device=ready.device if ready else None,
            device_why=(self._placement.why or None) if ready else None,
            versions=hello.versions if hello else {},
            worker_pid=worker.pid if worker else None,
            error=self.error,
            running=self.queue.running,
            waiting=self.queue.waiting,
            restarts=self.restarts,
            confinement=hello.confinement if hello else (),
            memory_cap_bytes=worker.memory_cap_bytes if worker else None,
            estimate_bytes=self.room.estimate_bytes if self.room else None,
            keep_s=self.keep_s,
        )

    @property
    def context_tokens(self) -> int | None:
        """Its window; None before it was loaded for the first time."""
        return self._context_tokens

    async def keep_rates(self) -> None:
        """Have what was learned of its speed outlive this run."""
        if self._speeds is None or self._measured_on is None or not self.rates.changed:
            return
        self.rates.changed = False
        with suppress(OSError):  # a full disk costs a try after the next start
            await asyncio.to_thread(self._speeds.write, self.ref, self._measured_on, self.rates.speeds)

    async def _know_rates(self, device: str) -> None:
        """Of this device: what is known in this run, else what was kept."""
        if device == self._measured_on:
            return
        await self.keep_rates()
        kept = await asyncio.to_thread(self._speeds.read, self.ref, device) if self._speeds else Speeds()
        self.rates, self._measured_on = Rates(self._clock.monotonic, kept), device

    def want(self) -> None:
        """Ask for it to be loaded."""
        self._wanted.set()

    def used(self) -> None:
        """Note that somebody has use for it."""
        self.last_used = self._clock.monotonic()

    @asynccontextmanager
    async def lease(self, client: str) -> AsyncIterator[Lease]:
        """A place in its line, which is loaded for it. Raises NoCandidate, Overloaded."""
        if self._removed:
            raise NoCandidate(REMOVED)
        self.want()
        self.used()
        if self.state == "failed" and not self._may_retry:
            raise NoCandidate(self.error or "the model can't be loaded", RETRY_FAILED_S)
        lease = Lease(self, self.queue.enter(client))
        try:
            yield lease
        finally:
            lease.leave()

    # -- its life

    async def keep(self) -> None:
        """Load it when wanted and start it anew when it dies, until cancelled."""
        try:
            await self._keep()
        finally:
            self._gone()

    async def _keep(self) -> None:
        deaths = 0
        while True:
            await self._wanted.wait()
            try:
                if self.room is None:
                    self.room = await self._find_room(self)
                served = await self._live(self.room)
            except Exception as error:  # noqa: BLE001  # the keeper outlives whatever happens to one worker
                if not isinstance(error, NoCandidate):
                    log.error("keeping %s: %s", self.ref.name, type(error).__name__)
                deaths = 0
                await self._fail(self._in_words(error))
                continue
            if self._unloading:
                deaths = 0
                self._gone()
                continue
            deaths = 1 if served else deaths + 1
            self.restarts += 1
            log.warning("worker of %s ended, restart %d", self.ref.name, self.restarts)
            if deaths >= GIVE_UP_AFTER:
                text = f"the process of {self.ref.name} ended {deaths} times in a row without an answer: "
                await self._fail(NoCandidate(f"{text}`nearloop doctor` looks at the model and the engine"))
                continue
            self._set("restarting")
            await asyncio.wait({self.news}, timeout=BACK_OFF_S[min(deaths - 1, len(BACK_OFF_S) - 1)])
            if self._unloading:
                deaths = 0
                self._gone()

    def _in_words(self, error: Exception) -> NoCandidate:
        """The same error with the model's name."""
        where = f"local/{self.ref.name}" + (f" ({self.ref.path})" if self.ref.path else "")
        if not isinstance(error, NoCandidate):
            return NoCandidate(f"{where}: starting it failed ({type(error).__name__})")
        return type(error)(f"{where}: {error}", error.retry_after_s)

    async def _live(self, room: Room) -> int:
        """One worker's life. Returns how many answers it gave. Raises NoCandidate if the model can't be loaded."""
        if self.state != "restarting":
            self._set("loading")
        self._placement = await self._devices.place(self.ref) if self._devices else Placement(self.ref, "")
        worker = await WorkerProcess.spawn(
            self._placement.ref, self._cache_dir, self._terms.keys, room.memory_cap_bytes
        )
        self._process = worker
        refusal: NoCandidate | None = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(worker.read_stderr())
                group.create_task(worker.watch())
                try:
                    ready = await worker.load(self._progress)
                    await self._know_rates(ready.device)
                    self.worker, self.error = worker, None
                    self._context_tokens = ready.context_tokens
                    self.used()
                    self._set("ready")
                    self.queue.open(ready.capabilities.parallel)
                    await worker.serve(self._shut)
                except WorkerLost as error:
                    self.error = str(error)
                    if worker.ready is None:
                        self._leave_device(self.error)
                except NoCandidate as error:
                    refusal = None if self._leave_device(str(error)) else error
                    await worker.stop()
        finally:
            self._shut()
            with suppress(ProcessLookupError):
                await asyncio.shield(worker.stop())
            self._process = None
        if refusal:
            raise refusal
        return worker.served

    def _leave_device(self, why: str) -> bool:
        """It did not load on the device that was chosen for it; whether another one is to be tried."""
        return self._devices is not None and self._devices.leave_out(self._placement, why)

    def _shut(self) -> None:
        """Let nobody in until the next worker is ready; who stands in line stays there."""
        self.worker = None
        self.queue.open(0)

    async def unload(self) -> None:
        """End its process and give its memory back; the next wish loads it again. Raises Busy if somebody has use for it."""
        if self.busy:
            raise Busy(f"local/{self.ref.name} is answering, or somebody waits for it: try again when it is idle")
        self._wanted.clear()
        if self.room is None or self._unloading:
            return
        self._unloading = True
        self._shut()
        self._tell()  # it may be in a pause before a restart
        if self._process:
            with suppress(ProcessLookupError):
                await self._process.stop()
        while self._unloading:
            await asyncio.wait({self.news})

    def _gone(self) -> None:
        self._unloading = False
        self.room, self.error = None, None
        self._set("cold")

    async def load(self, wait_s: float) -> None:
        """Load it without asking it anything, and wait so long at most. Raises NoCandidate if it can't be loaded."""
        self.used()
        if self.state == "ready":
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s), self.lease(OPERATOR) as lease:
                async for _ in lease.stages():
                    pass

    def end_all(self, error: NoCandidate) -> None:
        """End every request in flight or in line."""
        self.queue.open(0)  # first, or the slots that are given back let the next ones in
        self.queue.fail_all(error)
        if self.worker:
            self.worker.end_all(str(error))

    def remove(self) -> None:
        """Let nobody in any more."""
        self._removed = True
        self.end_all(NoCandidate(REMOVED))
        self._tell()

    async def _fail(self, error: NoCandidate) -> None:
        self.error = str(error)
        self.room, self._unloading = None, False
        self._set("failed")
        self.queue.fail_all(type(error)(str(error), error.retry_after_s or RETRY_FAILED_S))
        if not isinstance(error, DoesNotFit):  # which takes no time to find out anew, and may be otherwise in a moment
            self._may_retry = False
            await asyncio.sleep(RETRY_FAILED_S)
            self._may_retry = True
        self._wanted.clear()

    def _progress(self, loading: Loading) -> None:
        self._set(loading.stage, loading.fraction)

    def _set(self, state: ModelState, fraction: float | None = None) -> None:
        self.state, self.fraction = state, fraction
        self._changed(self)
        self._tell()

    def _tell(self) -> None:
        if self._news is not None:
            self._news.set_result(None)
            self._news = None

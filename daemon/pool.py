"""The local models: which there are, what state each is in, and the line in front of each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from daemon.devices import Devices, Placement
from daemon.errors import NoCandidate, UnknownModel
from daemon.events import EventRing
from daemon.fair_queue import FairQueue
from daemon.rates import Rates
from daemon.settings import Settings
from daemon.wire import Model as ModelInfo
from daemon.wire import ModelState
from daemon.worker_process import WorkerLost, WorkerProcess
from edge_models.catalog import CATALOG, ModelRef
from edge_models.ipc import Loading
from providers.contract import Usage

log: Final = logging.getLogger("nearloop.pool")

BACK_OFF_S: Final = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Before restart number n of a worker that served nothing; one that served starts from the front again."""
GIVE_UP_AFTER: Final = 5
"""Deaths in a row without one answer, after which those who wait are told instead of kept waiting."""
STOPPING: Final = "Nearloop is stopping: ask again when it is up"
REMOVED: Final = "this model was taken out of the settings: `nearloop models list` shows those there are"
RETRY_FAILED_S: Final = 5.0
"""A model that can't load (file missing, wrong hash) is tried again when asked for, at most this often."""


def local_models(settings: Settings) -> tuple[ModelRef, ...]:
    """The models of this machine, `local` first: the user's own, then what is known by name."""
    own = tuple(
        ModelRef(name, model.engine, _at_home(model.path), model.device) for name, model in settings.models.items()
    )
    return own + tuple(ModelRef(entry.name, entry.engine) for entry in CATALOG if entry.name not in settings.models)


def _at_home(path: str) -> str:
    return str(Path(path).expanduser()) if path.startswith("~") else path


class LocalModel:
    """One model: at most one worker process, kept alive, and the line of requests for it."""

    def __init__(
        self,
        ref: ModelRef,
        cache_dir: Path,
        queue_limit: int,
        changed: Callable[[LocalModel], None],
        devices: Devices | None = None,
    ) -> None:
        """devices: chooses where it runs; without, it runs where `ref` says."""
        self.ref = ref
        self._devices = devices
        self._placement = Placement(ref, "")
        self.demonstration = any(entry.name == ref.name and entry.demonstration for entry in CATALOG) and not ref.path
        self.state: ModelState = "cold"
        self.fraction: float | None = None
        self.error: str | None = None
        self.restarts = 0
        self.worker: WorkerProcess | None = None
        self.queue = FairQueue(queue_limit)
        self.rates = Rates()
        self._cache_dir = cache_dir
        self._changed = changed
        self._wanted = asyncio.Event()
        self._may_retry = True
        self._removed = False

    def info(self) -> ModelInfo:
        """As the control API shows it."""
        worker = self.worker
        ready = worker.ready if worker else None
        return ModelInfo(
            name=f"local/{self.ref.name}",
            engine=self.ref.engine,
            state=self.state,
            demonstration=self.demonstration,
            fraction=self.fraction,
            context_tokens=ready.context_tokens if ready else None,
            device=ready.device if ready else None,
            device_why=(self._placement.why or None) if ready else None,
            versions=worker.hello.versions if worker and worker.hello else {},
            worker_pid=worker.pid if worker else None,
            error=self.error,
            running=self.queue.running,
            waiting=self.queue.waiting,
            restarts=self.restarts,
        )

    def learn(self, usage: Usage, reading_s: float, writing_s: float) -> None:
        """Take an answer's times in: reading the prompt up to the first token, and writing the rest."""
        self.rates.learn(usage, reading_s, writing_s)

    def want(self) -> None:
        """Ask for it to be loaded."""
        self._wanted.set()

    @asynccontextmanager
    async def lease(self, client: str) -> AsyncIterator[tuple[WorkerProcess, Callable[[], None]]]:
        """A slot in a loaded model, waiting for both, and what gives the slot back. Raises NoCandidate, Overloaded."""
        if self._removed:
            raise NoCandidate(REMOVED)
        self.want()
        if self.state == "failed" and not self._may_retry:
            raise NoCandidate(self.error or "the model can't be loaded", RETRY_FAILED_S)
        async with self.queue.slot(client) as release:
            if self.worker is None:
                raise WorkerLost("the model's process has just ended and is started again: ask once more", 1.0)
            yield self.worker, release

    async def keep(self) -> None:
        """Load it when wanted and start it anew when it dies, until cancelled."""
        deaths = 0
        while True:
            await self._wanted.wait()
            try:
                served = await self._live()
            except Exception as error:  # noqa: BLE001  # the keeper outlives whatever happens to one worker
                if not isinstance(error, NoCandidate):
                    log.error("keeping %s: %s", self.ref.name, type(error).__name__)
                deaths = 0
                where = f" ({self.ref.path})" if self.ref.path else ""
                why = str(error) if isinstance(error, NoCandidate) else f"starting it failed ({type(error).__name__})"
                await self._fail(f"local/{self.ref.name}{where}: {why}")
                continue
            deaths = 1 if served else deaths + 1
            self.restarts += 1
            log.warning("worker of %s ended, restart %d", self.ref.name, self.restarts)
            if deaths >= GIVE_UP_AFTER:
                await self._fail(
                    f"the process of {self.ref.name} ended {deaths} times in a row without an answer: "
                    "`nearloop doctor` looks at the model and the engine"
                )
                continue
            self._set("restarting")
            await asyncio.sleep(BACK_OFF_S[min(deaths - 1, len(BACK_OFF_S) - 1)])

    async def _live(self) -> int:
        """One worker's life. Returns how many answers it gave. Raises NoCandidate if the model can't be loaded."""
        if self.state != "restarting":
            self._set("loading")
        self._placement = await self._devices.place(self.ref) if self._devices else Placement(self.ref, "")
        worker = await WorkerProcess.spawn(self._placement.ref, self._cache_dir)
        refusal: NoCandidate | None = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(worker.read_stderr())
                try:
                    ready = await worker.load(self._progress)
                    self.worker, self.error = worker, None
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

    async def _fail(self, error: str) -> None:
        self.error = error
        self._set("failed")
        self.queue.fail_all(NoCandidate(error, RETRY_FAILED_S))
        self._may_retry = False
        await asyncio.sleep(RETRY_FAILED_S)
        self._may_retry = True
        self._wanted.clear()

    def _progress(self, loading: Loading) -> None:
        self._set(loading.stage, loading.fraction)

    def _set(self, state: ModelState, fraction: float | None = None) -> None:
        self.state, self.fraction = state, fraction
        self._changed(self)


class Pool:
    """All local models. Enter it to have them kept, leave it to have them stopped."""

    def __init__(
        self,
        models: tuple[ModelRef, ...],
        cache_dir: Path,
        queue_limit: int,
        events: EventRing,
        devices: Devices | None = None,
    ) -> None:
        """models: the default first, which is loaded at once; the others when they are asked for."""
        self._events = events
        self._devices = devices
        self._cache_dir = cache_dir
        self._queue_limit = queue_limit
        self._keepers: dict[str, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None
        self.models = {ref.name: self._made(ref) for ref in models}

    def _made(self, ref: ModelRef) -> LocalModel:
        return LocalModel(ref, self._cache_dir, self._queue_limit, self._changed, self._devices)

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

    def replace(self, models: tuple[ModelRef, ...]) -> None:
        """Have these from now on, while `running`. What stays is not disturbed; what goes ends its requests."""
        stay = {name: model for name, model in self.models.items() if model.ref in models}
        for name in self.models.keys() - stay.keys():
            self.models[name].remove()
            self._keepers.pop(name).cancel()
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
            self._keep()
            try:
                yield
            finally:
                for keeper in self._keepers.values():
                    keeper.cancel()

    def _keep(self) -> None:
        assert self._group
        for name, model in self.models.items():
            if name not in self._keepers:
                self._keepers[name] = self._group.create_task(model.keep(), name=f"keep {name}")
        self.find(self.names()[0]).want()

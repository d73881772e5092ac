"""Pools of real worker processes with the scripted engine, for tests of models that come and go."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from daemon.devices import Devices
from daemon.events import EventRing
from daemon.local_model import LocalModel, Room, Terms
from daemon.machine_memory import Memory
from daemon.pool import Pool, Rules
from daemon.rate_store import RateStore
from daemon.wire import Event
from edge_models.catalog import ModelRef
from edge_models.engines.base import Chat, Sampling, Turn
from edge_models.ipc import Text
from tests.fakes.clock import HeldClock

WAIT_S: Final = 20.0
PLAY: Final = ModelRef("play", "scripted")
FREE: Final = Rules({None: Terms(10, None)})
GB: Final = 10**9


class Kept:
    """A pool that is kept, and what it said."""

    def __init__(
        self,
        folder: Path,
        clock: HeldClock,
        models: tuple[ModelRef, ...],
        queue_limit: int = 10,
        devices: Devices | None = None,
        speeds: RateStore | None = None,
    ) -> None:
        ring = EventRing(clock, _nothing)
        self.states: list[str] = []
        ring.listen(self._note)
        self.pool = Pool(models, Rules({None: Terms(queue_limit, None)}), folder, ring, clock, devices, speeds=speeds)

    def _note(self, event: Event) -> None:
        if event.kind == "model":
            self.states.append(f"{event.data.name} {event.data.state}")

    @property
    def model(self) -> LocalModel:
        return next(iter(self.pool.models.values()))


async def _nothing() -> dict[str, Any]:
    return {}


@asynccontextmanager
async def kept(
    folder: Path, clock: HeldClock, *models: ModelRef, queue_limit: int = 10, devices: Devices | None = None
) -> AsyncIterator[Kept]:
    kept = Kept(folder, clock, models, queue_limit, devices)
    async with asyncio.timeout(WAIT_S), kept.pool.running():
        yield kept


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


async def ask(model: LocalModel, text: str = "one two") -> str:
    """One answer's words."""
    async with model.lease("somebody") as lease:
        async for _ in lease.stages():
            pass
        events = lease.worker.generate(Chat((Turn("user", text),)), Sampling())
        return "".join([event.text async for event in events if isinstance(event, Text)])


async def no_need(model: LocalModel) -> Room:
    return Room()


def idle_model(ref: ModelRef) -> LocalModel:
    return LocalModel(ref, Terms(1, None), Path(), HeldClock(), lambda model: None, no_need)


def options(text: str) -> ModelRef:
    return ModelRef("play", "scripted", text)


class Machine:
    """Memory that the test decides about."""

    def __init__(self, total: float, available: float) -> None:
        self.memory = Memory(int(total * GB), int(available * GB))
        self.looks = 0

    def __call__(self) -> Memory:
        self.looks += 1
        return self.memory


class Housed(Kept):
    """Models of 4 GB each, called a, b, c, in a machine of 10 GB, of which all may be theirs."""

    def __init__(self, folder: Path, clock: HeldClock, machine: Machine, **terms: Terms) -> None:
        ring = EventRing(clock, _nothing)
        self.states = []
        self.unloaded: list[str] = []
        ring.listen(self._note)
        self.rules = Rules({None: Terms(10, 600.0), **terms}, memory_share=1.0)
        models = tuple(ModelRef(name, "scripted", "parallel=1") for name in "abc")
        self.pool = Pool(models, self.rules, folder, ring, clock, None, machine, lambda ref: 4 * GB)

    def _note(self, event: Event) -> None:
        super()._note(event)
        if event.kind == "unloaded":
            self.unloaded.append(f"{event.data['model']} {event.data['why']}")

    def state(self, name: str) -> str:
        return self.pool.find(name).state


@asynccontextmanager
async def housed(
    folder: Path, clock: HeldClock, machine: Machine | None = None, **terms: Terms
) -> AsyncIterator[Housed]:
    house = Housed(folder, clock, machine or Machine(10, 10), **terms)
    async with asyncio.timeout(WAIT_S), house.pool.running():
        await until(lambda: house.state("a") == "ready")
        yield house


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False

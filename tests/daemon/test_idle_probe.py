"""The watch that measures when nobody asks: once, when the machine can spare it, and where there is something to choose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from daemon import idle_probe
from edge_models.catalog import ModelRef
from edge_models.devices import CPU
from tests.fakes.clock import HeldClock
from tests.fakes.machine import PLAY, Machine


class House:
    """What the watch looks at: models that are ready, and whether the machine can spare anything."""

    def __init__(self) -> None:
        self.ready: tuple[ModelRef, ...] | None = (PLAY,)
        self.spare = True
        self.looks = 0

    def idle(self) -> tuple[ModelRef, ...] | None:
        self.looks += 1
        return self.ready


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    house = House()
    monkeypatch.setattr(idle_probe, "LOOK_S", 0.001)
    monkeypatch.setattr(idle_probe, "YIELD_S", 0.001)
    monkeypatch.setattr(idle_probe, "_spare", lambda: house.spare)
    return house


@asynccontextmanager
async def watched(machine: Machine, house: House) -> AsyncIterator[asyncio.Task[None]]:
    async with asyncio.timeout(10), machine.devices.running():
        task = asyncio.create_task(idle_probe.watch(machine.devices, house.idle))
        yield task
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


async def looks(house: House, more: int = 5) -> None:
    """Until the watch has looked so many times more."""
    since = house.looks
    await until(lambda: house.looks >= since + more)


async def test_an_idle_machine_is_measured_once(house: House, tmp_path: Path, clock: HeldClock) -> None:
    """A ready model is measured on every device after two quiet looks, and never again with the same drivers."""
    machine = Machine(tmp_path, clock, CPU, "GPU")
    async with watched(machine, house):
        await until(lambda: len(machine.measured) == 2 and machine.devices.probing is None)
        assert house.looks >= 2
        await looks(house)

    assert machine.measured == [CPU, "GPU"]
    assert (await machine.placed())[0] == "GPU"


async def test_a_machine_in_use_is_left_alone(house: House, tmp_path: Path, clock: HeldClock) -> None:
    """While a request is in the house, or the machine is on battery, hot or busy, no driver is even asked."""
    machine = Machine(tmp_path, clock, CPU, "GPU")
    house.ready = None
    async with watched(machine, house):
        await looks(house)
        house.ready = ()
        await looks(house)
        house.ready, house.spare = (PLAY,), False
        await looks(house)
        assert (machine.asked, machine.measured) == (0, [])
        house.spare = True
        await until(lambda: len(machine.measured) == 2)


async def test_a_request_ends_the_measuring(house: House, tmp_path: Path, clock: HeldClock) -> None:
    """Who asks does not share the machine with a probe; it is made again when they are gone."""
    machine = Machine(tmp_path, clock, CPU, "GPU")
    machine.at_work = asyncio.Event()
    async with watched(machine, house):
        await until(lambda: machine.measured == [CPU])
        house.ready = ()  # unloaded meanwhile: no reason to stop
        await looks(house)
        assert machine.devices.probing
        house.ready = None
        await until(lambda: machine.devices.probing is None)
        assert machine.steps[-1].told == "it was stopped"
        machine.at_work.set()
        house.ready = (PLAY,)
        await until(lambda: machine.measured == [CPU, CPU, "GPU"] and machine.devices.probing is None)


async def test_a_probe_that_the_user_asked_for_goes_on(house: House, tmp_path: Path, clock: HeldClock) -> None:
    """The watch ends only what it began."""
    machine = Machine(tmp_path, clock, CPU, "GPU")
    machine.at_work = asyncio.Event()
    house.ready = None
    async with watched(machine, house):
        machine.devices.begin_probe(PLAY)
        await looks(house)
        assert machine.devices.probing


async def test_where_there_is_one_device_the_watch_ends(house: House, tmp_path: Path, clock: HeldClock) -> None:
    """A machine with a CPU alone is asked for its devices once and never measured."""
    machine = Machine(tmp_path, clock, CPU)
    async with watched(machine, house) as task:
        await task

    assert (machine.asked, machine.measured) == (1, [])


async def test_pinned_models_are_not_measured(house: House, tmp_path: Path, clock: HeldClock) -> None:
    """There is nothing to choose for a model that the settings pin."""
    machine = Machine(tmp_path, clock, CPU, "GPU")
    house.ready = (ModelRef("play", "scripted", "", "GPU"),)
    async with watched(machine, house):
        await until(lambda: machine.asked == 1)
        await looks(house)

    assert machine.measured == []

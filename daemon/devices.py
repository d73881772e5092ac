"""Where local models run: the devices that are here, what was measured on them, and what that decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon import device_process, wire
from daemon.clock import Clock
from daemon.device_process import DeviceTrouble
from daemon.errors import BadRequest
from daemon.events import EventRing
from daemon.power import power
from daemon.probe_store import ProbeStore, Stored
from edge_models.catalog import AUTO, ModelRef
from edge_models.devices import CPU, Device, Table
from edge_models.probe import FORMAT, Choice, Measured, Result, Unfit, choose

TABLE_S: Final = 60.0
"""How long a table of devices is believed: drivers change by an installation, external GPUs by a plug."""
PINNED: Final = "the settings pin it there"
ALONE: Final = "the CPU is the only device here, so there is nothing to choose"
NOT_PROBED: Final = "not probed yet: `nearloop devices --probe` measures the devices"
ONE_PROBED: Final = "no other device was measured"
STALE: Final = (
    "what was measured holds no more, since a driver or OpenVINO changed: `nearloop devices --probe` measures anew"
)


class Placement(Struct, frozen=True):
    """A model with the device that it is to be loaded on, and why there."""

    ref: ModelRef
    why: str


class Devices:
    """The devices of this machine, as the daemon sees them. Enter `running` to have probes made."""

    def __init__(
        self,
        models_dir: Path,
        probes_dir: Path,
        events: EventRing,
        clock: Clock,
        query: Callable[[], Awaitable[Table]] = device_process.query,
        probe: Callable[[ModelRef, str], Awaitable[Result]] = device_process.probe,
    ) -> None:
        self._models_dir = models_dir
        self._store = ProbeStore(probes_dir)
        self._events = events
        self._clock = clock
        self._query = query
        self._probe = probe
        self._asking = asyncio.Lock()
        self._table: Table | None = None
        self._asked_at = 0.0
        self._left_out: dict[tuple[str, str], str] = {}
        self._group: asyncio.TaskGroup | None = None
        self._task: asyncio.Task[None] | None = None
        self._probing: str | None = None

    async def table(self) -> Table:
        """The devices, asked anew once a minute at most. Raises DeviceTrouble."""
        async with self._asking:
            if self._table is None or self._clock.monotonic() - self._asked_at > TABLE_S:
                self._table = await self._query()
                self._asked_at = self._clock.monotonic()
            return self._table

    async def place(self, ref: ModelRef) -> Placement:
        """Where to load a model. Drivers are asked only if there are numbers to choose by, so most starts cost nothing."""
        if ref.device != AUTO:
            return Placement(ref, PINNED)
        choice = await self._choice(ref)
        return Placement(replace(ref, device=choice.device), choice.why)

    def leave_out(self, placement: Placement, why: str) -> bool:
        """A model did not load where it was placed. Returns whether it is worth trying again, which is then elsewhere."""
        ref = placement.ref
        if placement.why == PINNED or ref.device == CPU:
            return False
        self._left_out[ref.name, ref.device] = f"the model does not load there: {why}"
        return True

    async def alone(self) -> bool:
        """Whether there is nothing to choose: one device, or no way to ask for them."""
        try:
            return len((await self.table()).devices) < 2
        except DeviceTrouble:
            return True

    async def unmeasured(self, ref: ModelRef) -> bool:
        """Whether a probe would tell something: there are several devices, and not all of them were measured."""
        if ref.device != AUTO or await self.alone():
            return False
        table = await self.table()
        stored = await asyncio.to_thread(self._store.read, ref)
        valid = {item.result.device for item in stored if item.holds(table)}
        return valid != {device.id for device in table.devices}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Have probes made until the block ends, which ends them."""
        async with asyncio.TaskGroup() as self._group:
            try:
                yield
            finally:
                self._group = None
                self.end_probe()

    @property
    def probing(self) -> str | None:
        """What is being measured."""
        return self._probing

    def begin_probe(self, ref: ModelRef) -> None:
        """Start to measure a model on every device; `probe` events tell of it. Raises BadRequest while one is measured."""
        if self._probing:
            raise BadRequest(f"{self._probing} is being measured: ask again when that is done")
        if self._group is None:
            raise BadRequest("the daemon is stopping: ask again when it is up")
        self._probing = ref.name
        self._task = self._group.create_task(self._measure_all(ref), name=f"probe {ref.name}")

    def end_probe(self) -> None:
        """End what is being measured; what was measured before is kept."""
        if self._task:
            self._task.cancel()

    async def _measure_all(self, ref: ModelRef) -> None:
        told = "it was stopped"
        try:
            table = await self.table()
            for device in table.devices:
                self._probing = f"{ref.name} on {device.id}"
                self._events.emit("probe", wire.ProbeStep(ref.name, device.id))
                await self._measure(replace(ref, device=device.id), device, table.runtime)
            self._left_out = {key: why for key, why in self._left_out.items() if key[0] != ref.name}
            choice = await self._choice(ref)
            told = f"{choice.device}: {choice.why}"
        except DeviceTrouble as error:
            told = str(error)
        except OSError as error:
            told = f"the results can't be kept: {error.strerror}"
        finally:
            self._probing = None
            self._events.emit("probe", wire.ProbeStep(ref.name, None, told))

    async def _measure(self, ref: ModelRef, device: Device, runtime: str) -> None:
        load = power().load
        result = await self._probe(ref, str(self._models_dir))
        kept = Stored(FORMAT, runtime, device.name, device.driver, self._clock.now(), load, result)
        await asyncio.to_thread(self._store.write, ref, device, kept)

    async def _choice(self, ref: ModelRef) -> Choice:
        if ref.device != AUTO:
            return Choice(ref.device, PINNED)
        stored = await asyncio.to_thread(self._store.read, ref)
        if len(stored) < 2:
            alone = self._table is not None and len(self._table.devices) == 1
            return Choice(CPU, ALONE if alone else ONE_PROBED if stored else NOT_PROBED)
        try:
            return self._judged(ref, stored, await self.table())
        except DeviceTrouble as error:
            return Choice(CPU, str(error))

    def _judged(self, ref: ModelRef, stored: tuple[Stored, ...], table: Table) -> Choice:
        valid = {item.result.device: item.result for item in stored if item.holds(table)}
        if not valid:
            return Choice(CPU, STALE)
        for device in valid:
            if why := self._left_out.get((ref.name, device)):
                valid[device] = Unfit(device, why)
        choice = choose(tuple(valid.values()))
        unmeasured = [device.id for device in table.devices if device.id not in valid]
        if unmeasured:
            return Choice(choice.device, f"{choice.why}; not measured with its present driver: {', '.join(unmeasured)}")
        return choice

    async def info(self, refs: tuple[ModelRef, ...]) -> wire.Devices:
        """As the control API shows them, with what is decided for these models."""
        table, trouble = None, None
        try:
            table = await self.table()
        except DeviceTrouble as error:
            trouble = str(error)
        return wire.Devices(
            runtime=table.runtime if table else None,
            devices=tuple(_device(device) for device in table.devices) if table else (),
            absent=tuple(wire.AbsentDevice(absent.id, absent.why) for absent in table.absent) if table else (),
            trouble=trouble,
            choices=tuple([await self._shown(ref) for ref in refs]),
            probing=self._probing,
            power=await asyncio.to_thread(power),
        )

    async def _shown(self, ref: ModelRef) -> wire.DeviceChoice:
        choice = await self._choice(ref)
        stored = await asyncio.to_thread(self._store.read, ref)
        probes = tuple(_probe(item) for item in stored)
        return wire.DeviceChoice(f"local/{ref.name}", ref.device, choice.device, choice.why, probes)


def _device(device: Device) -> wire.Device:
    return wire.Device(device.id, device.kind, device.name, device.driver, device.memory_bytes, device.capabilities)


def _probe(stored: Stored) -> wire.Probe:
    result = stored.result
    if not isinstance(result, Measured):
        return wire.Probe(result.device, stored.at, stored.load, error=result.why)
    return wire.Probe(
        device=result.device,
        at=stored.at,
        load=stored.load,
        load_s=result.load_s,
        short_tokens=result.short_tokens,
        short_s=round(result.short_s, 4),
        long_tokens=result.long_tokens,
        long_s=round(result.long_s, 4),
        tokens_per_s=round(1 / result.token_s, 1) if result.token_s else None,
        context_tokens=result.context_tokens,
    )

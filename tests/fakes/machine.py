"""A machine with devices of our own, and the daemon's view of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from daemon import wire
from daemon.device_process import DeviceTrouble
from daemon.devices import Devices
from daemon.events import EventRing
from edge_models.catalog import ModelRef
from edge_models.devices import CPU, Device, Table
from edge_models.probe import Measured, Result
from tests.fakes.clock import HeldClock

PLAY = ModelRef("play", "scripted", "")
SPEEDS = {CPU: 0.02, "GPU": 0.005, "NPU": 0.004}


def device(id: str, driver: str | None = "1") -> Device:
    kinds: dict[str, Any] = {CPU: "cpu", "GPU": "igpu", "NPU": "npu"}
    return Device(id, kinds[id], f"the {id}", driver, 1 << 30, ("FP16",))


class Machine:
    """Devices that can be changed, and what is measured on them."""

    def __init__(self, folder: Path, clock: HeldClock, *ids: str) -> None:
        self.clock = clock
        self.table: Table | DeviceTrouble = Table("2026.4.1", tuple(device(id) for id in ids), ())
        self.asked = 0
        self.measured: list[str] = []
        self.results: dict[str, Result] = {}
        self.at_work: asyncio.Event | None = None
        self.ring = EventRing(clock, self._nothing)
        self.steps: list[wire.ProbeStep] = []
        self.ring.listen(lambda event: self.steps.append(event.data))
        self._folder = folder
        self.devices = self.restarted()

    def restarted(self) -> Devices:
        """A new daemon on the same machine."""
        self.devices = Devices(
            self._folder / "models", self._folder / "probes", self.ring, self.clock, self._query, self._probe
        )
        return self.devices

    def change_driver(self, driver: str) -> None:
        """What an update does."""
        assert isinstance(self.table, Table)
        self.table = Table("2026.4.1", tuple(device(each.id, driver) for each in self.table.devices), ())

    async def probe(self, ref: ModelRef = PLAY) -> None:
        """A probe to its end."""
        async with asyncio.timeout(10), self.devices.running():
            self.devices.begin_probe(ref)
            while self.devices.probing:
                await asyncio.sleep(0.001)

    async def placed(self, ref: ModelRef = PLAY) -> tuple[str, str]:
        placement = await self.devices.place(ref)
        assert placement.ref.name == ref.name
        return placement.ref.device, placement.why

    async def _query(self) -> Table:
        self.asked += 1
        if isinstance(self.table, DeviceTrouble):
            raise self.table
        return self.table

    async def _probe(self, ref: ModelRef, cache_dir: str) -> Result:
        self.measured.append(ref.device)
        if self.at_work:
            await self.at_work.wait()
        speed = SPEEDS[ref.device]
        return self.results.get(ref.device, Measured(ref.device, 1.0, 32, 0.1, 1024, 0.5, speed, 8192, True))

    async def _nothing(self) -> dict[str, Any]:
        return {}

"""The watch that measures models on the devices once the machine has nothing else to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from daemon.devices import Devices
from daemon.power import occupied, power
from edge_models.catalog import ModelRef

LOOK_S: Final = 30.0
"""Between looks; a machine counts as idle after two in a row, so a pause in a conversation does not."""
YIELD_S: Final = 0.5
"""How soon a request ends the measuring that began before it."""


async def watch(devices: Devices, idle: Callable[[], tuple[ModelRef, ...] | None]) -> None:
    """Probe each model that was loaded and not yet measured, when nobody asks and the machine can spare it.

    idle: the models that are ready; None while a request is in the house. Ends where there is one device, or none that can
    be asked: then there is nothing to measure, and drivers are asked this once only.
    """
    quiet = False
    while True:
        await asyncio.sleep(LOOK_S)
        ready = idle()
        before, quiet = quiet, bool(ready) and await asyncio.to_thread(_spare)
        if not (before and quiet):
            continue
        if await devices.alone():
            return
        for ref in ready or ():
            if devices.probing is None and await devices.unmeasured(ref):
                devices.begin_probe(ref)
                await _attend(devices, idle)
                quiet = False
                break


async def _attend(devices: Devices, idle: Callable[[], tuple[ModelRef, ...] | None]) -> None:
    """Until the probe is over, or somebody asks, which ends it."""
    while devices.probing:
        await asyncio.sleep(YIELD_S)
        if idle() is None:
            devices.end_probe()
            return


def _spare() -> bool:
    return occupied(power()) is None

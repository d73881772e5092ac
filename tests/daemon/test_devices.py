"""Where models are placed, over a table of devices and measurements of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon import wire
from daemon.device_process import DeviceTrouble
from daemon.devices import ALONE, NOT_PROBED, ONE_PROBED, PINNED, STALE, TABLE_S
from daemon.errors import BadRequest
from edge_models.catalog import ModelRef
from edge_models.devices import CPU, Absent, Table
from edge_models.probe import Unfit
from tests.fakes.clock import HeldClock
from tests.fakes.machine import PLAY, Machine, device


@pytest.fixture
def machine(tmp_path: Path, clock: HeldClock) -> Callable[..., Machine]:
    return lambda *ids: Machine(tmp_path, clock, *ids)


async def test_before_a_probe_it_is_the_cpu(machine: Callable[..., Machine]) -> None:
    """Nothing was measured: the CPU, with the command that measures, and no driver was asked for it."""
    laptop = machine(CPU, "GPU")

    assert await laptop.placed() == (CPU, NOT_PROBED)
    assert laptop.asked == 0


async def test_after_a_probe_it_is_the_fastest(machine: Callable[..., Machine]) -> None:
    """The numbers decide, and are told; a new daemon finds them again."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    laptop.restarted()

    placed, why = await laptop.placed()

    assert laptop.measured == [CPU, "GPU"]
    assert placed == "GPU"
    assert why.startswith("GPU is the fastest: CPU 5.7 s, GPU 1.9 s")


async def test_a_pin_is_obeyed_without_a_question(machine: Callable[..., Machine]) -> None:
    """The settings' device is passed on, also where numbers speak for another one."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    asked = laptop.asked

    for pin in (CPU, "NPU"):
        assert await laptop.placed(ModelRef("play", "scripted", "", pin)) == (pin, PINNED)
    assert laptop.asked == asked


async def test_a_driver_update_ends_the_numbers(machine: Callable[..., Machine]) -> None:
    """After an update the model is on the CPU until it is measured anew, and the reason says so."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    laptop.change_driver("2")
    laptop.restarted()

    assert await laptop.placed() == (CPU, STALE)
    assert await laptop.devices.unmeasured(PLAY)
    await laptop.probe()
    assert (await laptop.placed())[0] == "GPU"
    assert not await laptop.devices.unmeasured(PLAY)


async def test_a_device_that_is_gone_is_not_chosen(machine: Callable[..., Machine]) -> None:
    """The best measured device was unplugged: the rest decides."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    laptop.table = Table("2026.4.1", (device(CPU),), ())
    laptop.restarted()

    placed, why = await laptop.placed()

    assert placed == CPU
    assert "only device that was measured" in why


async def test_a_new_device_is_named_until_it_is_measured(machine: Callable[..., Machine]) -> None:
    """What is not measured yet does not compete, and is not passed over in silence."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    laptop.table = Table("2026.4.1", (device(CPU), device("GPU"), device("NPU")), ())
    laptop.restarted()

    placed, why = await laptop.placed()

    assert placed == "GPU"
    assert why.endswith("not measured with its present driver: NPU")
    assert await laptop.devices.unmeasured(PLAY)


async def test_one_device_leaves_nothing_to_choose(machine: Callable[..., Machine]) -> None:
    """A machine with a CPU says so once it knows, and a probe there is for the numbers alone."""
    desktop = machine(CPU)
    assert await desktop.devices.alone()
    assert await desktop.placed() == (CPU, ALONE)
    assert not await desktop.devices.unmeasured(PLAY)

    await desktop.probe()
    assert await desktop.placed() == (CPU, ALONE)
    desktop.restarted()
    assert await desktop.placed() == (CPU, ONE_PROBED)


async def test_a_device_that_fails_its_probe_is_told(machine: Callable[..., Machine]) -> None:
    """A driver that crashes under the probe costs its device the choice, and the others are measured all the same."""
    laptop = machine(CPU, "GPU", "NPU")
    laptop.results["GPU"] = Unfit("GPU", "the probe crashed by signal 11")
    await laptop.probe()

    placed, why = await laptop.placed()

    assert laptop.measured == [CPU, "GPU", "NPU"]
    assert placed == "NPU"
    assert "GPU is left out: the probe crashed by signal 11" in why


async def test_a_chosen_device_that_fails_later_is_left(machine: Callable[..., Machine]) -> None:
    """A model that does not load where it was placed goes elsewhere with the reason, until it is measured anew."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    placement = await laptop.devices.place(PLAY)

    assert laptop.devices.leave_out(placement, "out of memory")
    placed, why = await laptop.placed()
    assert placed == CPU
    assert "GPU is left out: the model does not load there: out of memory" in why
    assert not laptop.devices.leave_out(await laptop.devices.place(PLAY), "broken"), "the CPU has nowhere to go"

    await laptop.probe()
    assert (await laptop.placed())[0] == "GPU"


async def test_a_pinned_device_that_fails_is_not_left(machine: Callable[..., Machine]) -> None:
    """What the user decided is not undone."""
    laptop = machine(CPU, "GPU")
    placement = await laptop.devices.place(ModelRef("play", "scripted", "", "GPU"))

    assert not laptop.devices.leave_out(placement, "missing")


async def test_a_query_that_crashes_keeps_models_on_the_cpu(machine: Callable[..., Machine]) -> None:
    """Where the devices can't be asked the model runs, with the trouble as the reason, and the table shows it."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    laptop.table = DeviceTrouble("the device query crashed by signal 11")
    laptop.restarted()

    assert await laptop.placed() == (CPU, "the device query crashed by signal 11")
    assert await laptop.devices.alone()
    assert not await laptop.devices.unmeasured(PLAY)
    shown = await laptop.devices.info((PLAY,))
    assert (shown.trouble, shown.devices, shown.runtime) == ("the device query crashed by signal 11", (), None)


async def test_a_probe_tells_what_it_does(machine: Callable[..., Machine]) -> None:
    """An event for each device, and one for the end with the choice."""
    laptop = machine(CPU, "GPU")

    await laptop.probe()

    assert [step.device for step in laptop.steps] == [CPU, "GPU", None]
    assert (laptop.steps[-1].told or "").startswith("GPU: GPU is the fastest")


async def test_one_probe_at_a_time(machine: Callable[..., Machine]) -> None:
    """Two at once would measure each other; the second is refused, and a stop ends the first."""
    laptop = machine(CPU, "GPU")
    laptop.at_work = asyncio.Event()
    async with asyncio.timeout(10), laptop.devices.running():
        laptop.devices.begin_probe(PLAY)
        while not laptop.measured:
            await asyncio.sleep(0.001)
        with pytest.raises(BadRequest, match="play on CPU is being measured"):
            laptop.devices.begin_probe(PLAY)
        assert (await laptop.devices.info(())).probing == "play on CPU"

    assert laptop.devices.probing is None
    assert laptop.steps[-1].told == "it was stopped"
    with pytest.raises(BadRequest, match="stopping"):
        laptop.devices.begin_probe(PLAY)


async def test_a_probe_without_devices_or_disk_ends_in_words(
    machine: Callable[..., Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trouble with drivers or the disk is the probe's last event, and the daemon goes on."""
    laptop = machine(CPU, "GPU")
    laptop.table = DeviceTrouble("the device query crashed")
    await laptop.probe()
    assert laptop.steps[-1].told == "the device query crashed"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    laptop.table = Table("2026.4.1", (device(CPU),), ())
    monkeypatch.setattr("daemon.probe_store.write_private", full)
    await laptop.probe()
    assert laptop.steps[-1].told == "the results can't be kept: No space left on device"


async def test_the_table_is_believed_for_a_while(machine: Callable[..., Machine]) -> None:
    """Drivers are asked once a minute at most, also by many at once."""
    laptop = machine(CPU, "GPU")

    await asyncio.gather(*(laptop.devices.table() for _ in range(5)))
    assert laptop.asked == 1
    laptop.clock.advance(TABLE_S + 1)
    await laptop.devices.table()
    assert laptop.asked == 2


async def test_all_of_it_is_shown(machine: Callable[..., Machine]) -> None:
    """Devices, what is absent, each model's place with its reason and its numbers, and the machine's state."""
    laptop = machine(CPU, "GPU")
    await laptop.probe()
    laptop.table = Table("2026.4.1", (device(CPU), device("GPU")), (Absent("NPU", "no driver"),))
    laptop.restarted()

    shown = await laptop.devices.info((PLAY, ModelRef("pinned", "scripted", "x", "NPU")))

    assert [each.id for each in shown.devices] == [CPU, "GPU"]
    assert shown.absent == (wire.AbsentDevice("NPU", "no driver"),)
    first, pinned = shown.choices
    assert (first.model, first.setting, first.device) == ("local/play", "auto", "GPU")
    assert [(probe.device, probe.tokens_per_s) for probe in first.probes] == [(CPU, 50.0), ("GPU", 200.0)]
    assert (pinned.model, pinned.setting, pinned.device, pinned.why) == ("local/pinned", "NPU", "NPU", PINNED)
    assert shown.power.memory_total_bytes > 0

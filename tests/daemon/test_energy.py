"""Energy as Linux's files tell it."""

from __future__ import annotations

from pathlib import Path

from daemon.energy import BATTERY_S, EnergyMeter
from tests.fakes.clock import HeldClock


def put(root: Path, where: str, **files: object) -> Path:
    folder = root / "sys/class" / where
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(f"{content}\n")
    return folder


def test_packages_are_added(tmp_path: Path) -> None:
    """Two packages count together, and parts of one are not counted twice."""
    first = put(tmp_path, "powercap/intel-rapl:0", energy_uj=5_000_000, max_energy_range_uj=10_000_000)
    put(tmp_path, "powercap/intel-rapl:0:0", energy_uj=1, max_energy_range_uj=10)
    second = put(tmp_path, "powercap/intel-rapl:1", energy_uj=0, max_energy_range_uj=10_000_000)
    meter = EnergyMeter(tmp_path)

    (first / "energy_uj").write_text("7000000\n")
    (second / "energy_uj").write_text("500000\n")

    assert meter.reads
    assert meter.joules() == 2.5


def test_a_counter_begins_anew(tmp_path: Path) -> None:
    """Behind its range it goes on from nothing, which is no loss."""
    zone = put(tmp_path, "powercap/intel-rapl:0", energy_uj=9_000_000, max_energy_range_uj=10_000_000)
    meter = EnergyMeter(tmp_path)

    (zone / "energy_uj").write_text("1000000\n")

    assert meter.joules() == 2.0


def test_a_battery_tells_while_it_discharges(tmp_path: Path) -> None:
    """A milliwatt-hour is 3.6 joules; a battery on its charger tells nothing."""
    battery, clock = put(tmp_path, "power_supply/BAT0", energy_now=50_000, status="Discharging"), HeldClock()
    meter = EnergyMeter(tmp_path, clock.monotonic)

    (battery / "energy_now").write_text("49000\n")
    assert meter.joules() == 0.0  # it was asked a moment ago
    clock.advance(BATTERY_S)
    assert meter.joules() == 3.6
    (battery / "status").write_text("Charging\n")
    clock.advance(BATTERY_S)
    assert meter.joules() is None


def test_nothing_is_told(tmp_path: Path) -> None:
    """Without files there is no number."""
    meter = EnergyMeter(tmp_path)

    assert not meter.reads
    assert meter.joules() is None

"""What the machine can spare, read from recorded file trees and recorded output."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.power import (
    occupied,
    power,
    read_batteries,
    read_heat,
    read_memory_stall,
    read_pmset_battery,
    read_pmset_heat,
    read_pmset_profile,
)
from daemon.wire import Power


def tree(root: Path, files: dict[str, str]) -> Path:
    """Write files as the kernel shows them, with the newline that it ends each with."""
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return root


def supply(name: str, **files: str) -> dict[str, str]:
    return {f"sys/class/power_supply/{name}/{file}": text for file, text in files.items()}


MAINS = supply("AC", type="Mains", online="1")
UNPLUGGED = supply("AC", type="Mains", online="0")


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, (None, None)),
        (MAINS, (False, None)),
        (MAINS | supply("BAT0", type="Battery", status="Charging", capacity="80"), (False, 80.0)),
        (UNPLUGGED | supply("BAT0", type="Battery", status="Discharging", capacity="41"), (True, 41.0)),
        (
            UNPLUGGED
            | supply("BAT0", type="Battery", status="Discharging", capacity="40")
            | supply("BAT1", type="Battery", status="Not charging", capacity="60"),
            (True, 50.0),
        ),
        # a weak USB-C charger: the battery shrinks while there is mains
        (MAINS | supply("BAT0", type="Battery", status="Discharging", capacity="41"), (False, 41.0)),
        (
            supply("ucsi-1", type="USB", online="1") | supply("BAT0", type="Battery", status="Full", capacity="100"),
            (False, 100.0),
        ),
        (
            MAINS | supply("hid-mouse", type="Battery", scope="Device", status="Discharging", capacity="9"),
            (False, None),
        ),
        (supply("BAT0", type="Battery", status="Discharging", capacity="none"), (None, None)),
    ],
    ids=["none", "desktop", "charging", "battery", "two", "weak charger", "usb-c", "mouse", "broken"],
)
def test_batteries(files: dict[str, str], told: tuple[bool | None, float | None], tmp_path: Path) -> None:
    """A laptop's batteries and chargers are told apart, a mouse's battery is not the machine's, and nothing is made up."""
    assert read_batteries(tree(tmp_path, files)) == told


def zone(number: int, temp: str, **trips: str) -> dict[str, str]:
    files = {f"sys/class/thermal/thermal_zone{number}/temp": temp}
    for place, (kind, limit) in enumerate(trips.items()):
        files[f"sys/class/thermal/thermal_zone{number}/trip_point_{place}_type"] = kind
        files[f"sys/class/thermal/thermal_zone{number}/trip_point_{place}_temp"] = limit
    return files


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, (None, None)),
        ({"sys/class/thermal/cooling_device0/type": "Fan"}, (None, None)),
        (zone(0, "45000"), (45.0, None)),
        (zone(0, "45000", passive="95000", critical="105000"), (45.0, False)),
        (zone(0, "45000", passive="95000") | zone(1, "97500", passive="95000"), (97.5, True)),
        (zone(0, "97000", active="50000", critical="105000"), (97.0, None)),
        (zone(0, "97000", passive="-274000"), (97.0, None)),
        (zone(0, "not yet"), (None, None)),
    ],
    ids=["none", "fans only", "no trips", "cool", "one hot", "only a fan's trip", "trip switched off", "unreadable"],
)
def test_heat(files: dict[str, str], told: tuple[float | None, bool | None], tmp_path: Path) -> None:
    """The hottest zone counts; hot is what has reached a passive or hot trip point, where there is one."""
    assert read_heat(tree(tmp_path, files)) == told


def test_memory_stall(tmp_path: Path) -> None:
    """The first line's 10-second share is read; a kernel without it tells nothing."""
    assert read_memory_stall(tmp_path) is None
    tree(
        tmp_path,
        {
            "proc/pressure/memory": "some avg10=12.50 avg60=3.00 avg300=1.00 total=99\n"
            "full avg10=2.00 avg60=0.00 avg300=0.00 total=9"
        },
    )

    assert read_memory_stall(tmp_path) == 12.5


def test_a_whole_linux_machine(tmp_path: Path) -> None:
    """All facts come from the tree, except for memory and load, which psutil knows."""
    files = UNPLUGGED | supply("BAT0", type="Battery", status="Discharging", capacity="41")
    files |= zone(0, "55000", passive="90000") | {"sys/firmware/acpi/platform_profile": "low-power"}
    now = power(tree(tmp_path, files), "linux")

    assert (now.on_battery, now.battery_percent, now.profile) == (True, 41.0, "low-power")
    assert (now.hottest_c, now.hot) == (55.0, False)
    assert 0 < now.memory_available_bytes < now.memory_total_bytes
    assert now.load >= 0


def test_this_machine() -> None:
    """The real one answers, whatever it is."""
    now = power()

    assert now.memory_available_bytes > 0
    assert now.battery_percent is None or 0 <= now.battery_percent <= 100


def test_pmset() -> None:
    """macOS' words, as others recorded them: no Mac was here."""
    battery = (
        "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t87%; discharging; 5:12 remaining present: true\n"
    )
    mains = "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged; 0:00 remaining present: true\n"

    assert read_pmset_battery(battery) == (True, 87.0)
    assert read_pmset_battery(mains) == (False, 100.0)
    assert read_pmset_battery("") == (None, None)
    assert read_pmset_profile(" lowpowermode         1\n sleep 1\n") == "low power mode"
    assert read_pmset_profile(" lowpowermode         0\n") == "balanced"
    assert read_pmset_profile(" sleep 1\n") is None
    throttled = (
        "Note: No thermal warning level has been recorded\nNote: No performance warning level has been recorded\n"
        "2020-11-24 13:10:40 +0100 CPU Power notify\n"
        "\tCPU_Scheduler_Limit \t= 100\n\tCPU_Available_CPUs \t= 8\n\tCPU_Speed_Limit \t= 35\n"
    )
    assert read_pmset_heat(throttled) is True
    assert read_pmset_heat("\tCPU_Speed_Limit \t= 100\n") is False
    assert read_pmset_heat("Note: No thermal warning level has been recorded\n") is None


def machine(**facts: object) -> Power:
    calm: dict[str, object] = {
        "on_battery": False,
        "battery_percent": 80.0,
        "profile": "balanced",
        "hottest_c": 50.0,
        "hot": False,
        "memory_available_bytes": 8 << 30,
        "memory_total_bytes": 16 << 30,
        "memory_stalled_percent": 0.0,
        "load": 0.1,
    }
    return Power(**(calm | facts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({"on_battery": True}, "battery"),
        ({"profile": "low-power"}, "low-power"),
        ({"hot": True}, "hot"),
        ({"memory_available_bytes": 1 << 30}, "memory"),
        ({"memory_stalled_percent": 30.0}, "wait for memory"),
        ({"load": 0.9}, "busy"),
    ],
)
def test_when_a_machine_can_spare_nothing(facts: dict[str, object], word: str) -> None:
    """Each of the facts alone is a reason, and is told."""
    assert word in (occupied(machine(**facts)) or "")


def test_when_it_can() -> None:
    """A calm machine can, and one that tells nothing as well."""
    assert occupied(machine()) is None
    assert occupied(machine(on_battery=None, profile=None, hot=None, memory_stalled_percent=None)) is None

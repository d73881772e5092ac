"""What the machine can spare: battery, power profile, heat, memory and load, as the operating system tells them.

Facts for decisions, None where a system does not tell. Linux is read from its files (`root` is for tests), the others by
their own means: `pmset` on macOS, the power API on Windows, psutil for what it knows everywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from daemon.wire import Power

_ROOT: Final = Path("/")
_PMSET_S: Final = 2.0
LOW_MEMORY: Final = 0.10
"""Share of the machine's memory under which the rest is left alone."""
STALLED_PERCENT: Final = 10.0
"""Of the last 10 s in which some task waited for memory (Linux PSI, `some avg10`); systemd-oomd acts at 60 % by default."""
BUSY_LOAD: Final = 0.5
"""Runnable tasks per core over the last minute."""
_SAVING: Final = ("low-power", "quiet", "power-saver", "low power mode")
_WINDOWS_SCHEMES: Final = {
    "381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "performance",
    "a1841308-3541-4fab-bc81-f71556f20b4a": "power-saver",
}
"""Windows' own power schemes, from winnt.h: GUID_TYPICAL_POWER_SAVINGS, GUID_MIN_POWER_SAVINGS, GUID_MAX_POWER_SAVINGS."""


def power(root: Path = _ROOT, platform: str = sys.platform) -> Power:
    """All facts, now. Takes about a millisecond on Linux, and up to 2 s for each of three questions on macOS."""
    import psutil

    memory = psutil.virtual_memory()
    load = psutil.getloadavg()[0] / (os.cpu_count() or 1)
    if platform == "darwin":
        on_battery, percent = read_pmset_battery(_pmset("-g", "batt"))
        profile, hottest, hot = read_pmset_profile(_pmset("-g")), None, read_pmset_heat(_pmset("-g", "therm"))
    elif platform == "win32":
        on_battery, percent = _battery(psutil)
        profile, hottest, hot = _windows_profile(), None, None
    else:
        on_battery, percent = read_batteries(root)
        profile = _text(root / "sys/firmware/acpi/platform_profile")
        hottest, hot = read_heat(root)
    return Power(
        on_battery=on_battery,
        battery_percent=percent,
        profile=profile,
        hottest_c=hottest,
        hot=hot,
        memory_available_bytes=memory.available,
        memory_total_bytes=memory.total,
        memory_stalled_percent=read_memory_stall(root) if platform.startswith("linux") else None,
        load=round(load, 2),
    )


def occupied(now: Power) -> str | None:
    """Why the machine should not be given work that nobody waits for; None if it can spare it."""
    if now.on_battery:
        return "it runs on battery"
    if now.profile in _SAVING:
        return f"its power profile is {now.profile}"
    if now.hot:
        return "it is hot"
    if now.memory_available_bytes < LOW_MEMORY * now.memory_total_bytes:
        return "little memory is left"
    if (now.memory_stalled_percent or 0.0) > STALLED_PERCENT:
        return "tasks wait for memory"
    if now.load > BUSY_LOAD:
        return "it is busy"
    return None


def read_batteries(root: Path) -> tuple[bool | None, float | None]:
    """Whether the machine runs on battery, and how full its batteries are together, of Linux's power supplies.

    A supply with `scope` Device is a mouse's or a headset's. Source: Documentation/ABI/testing/sysfs-class-power.
    """
    levels, discharging, online = list[float](), False, False
    for supply in _children(root / "sys/class/power_supply"):
        if _text(supply / "scope") == "Device":
            continue
        kind = _text(supply / "type")
        if kind == "Battery":
            if (capacity := _number(supply / "capacity")) is not None:
                levels.append(capacity)
            discharging = discharging or _text(supply / "status") == "Discharging"
        elif kind is not None:
            online = online or _text(supply / "online") == "1"
    if not levels and not online:
        return None, None
    return discharging and not online, sum(levels) / len(levels) if levels else None


def read_heat(root: Path) -> tuple[float | None, bool | None]:
    """The hottest zone in °C, and whether any has reached its passive or hot trip point, of Linux's thermal zones.

    Values are in thousandths. Source: Documentation/driver-api/thermal/sysfs-api.rst.
    """
    temperatures, hot = list[float](), None
    for zone in _children(root / "sys/class/thermal"):
        temperature = _number(zone / "temp") if zone.name.startswith("thermal_zone") else None
        if temperature is None:
            continue
        temperatures.append(temperature / 1000)
        for kind in zone.glob("trip_point_*_type"):
            limit = _number(zone / kind.name.replace("_type", "_temp"))
            if _text(kind) in ("passive", "hot") and limit is not None and limit > 0:
                hot = bool(hot) or temperature >= limit
    return (max(temperatures), hot) if temperatures else (None, None)


def read_memory_stall(root: Path) -> float | None:
    """Linux's pressure stall information for memory: `some avg10=0.12 …`."""
    found = re.search(r"^some avg10=([\d.]+)", _text(root / "proc/pressure/memory") or "", re.MULTILINE)
    return float(found[1]) if found else None


def read_pmset_battery(text: str) -> tuple[bool | None, float | None]:
    """`pmset -g batt`: `Now drawing from 'Battery Power'`, and a line with `87%;`."""
    source = re.search(r"Now drawing from '(.+?)'", text)
    percent = re.search(r"(\d+)%;", text)
    return source[1] == "Battery Power" if source else None, float(percent[1]) if percent else None


def read_pmset_profile(text: str) -> str | None:
    """`pmset -g`: its line `lowpowermode 1`."""
    found = re.search(r"^\s*lowpowermode\s+(\d)", text, re.MULTILINE)
    return None if found is None else "low power mode" if found[1] != "0" else "balanced"


def read_pmset_heat(text: str) -> bool | None:
    """`pmset -g therm`: `CPU_Speed_Limit = 100` while nothing is throttled; some Macs tell nothing."""
    found = re.search(r"CPU_Speed_Limit\s*=\s*(\d+)", text)
    return None if found is None else int(found[1]) < 100


def _pmset(*arguments: str) -> str:
    try:
        done = subprocess.run(["/usr/bin/pmset", *arguments], capture_output=True, text=True, timeout=_PMSET_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _battery(psutil: Any) -> tuple[bool | None, float | None]:
    found = psutil.sensors_battery()
    return (None, None) if found is None else (not found.power_plugged, float(found.percent))


def _windows_profile() -> str | None:
    if sys.platform != "win32":
        return None
    import ctypes
    import uuid

    scheme = ctypes.c_void_p()
    if ctypes.windll.powrprof.PowerGetActiveScheme(None, ctypes.byref(scheme)) != 0 or not scheme.value:
        return None
    guid = str(uuid.UUID(bytes_le=ctypes.string_at(scheme.value, 16)))
    ctypes.windll.kernel32.LocalFree(scheme)
    return _WINDOWS_SCHEMES.get(guid, "other")


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None


def _number(file: Path) -> float | None:
    try:
        return float(_text(file) or "")
    except ValueError:
        return None

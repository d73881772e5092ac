"""How much energy the machine has used, where Linux tells: of its processor packages, or out of its battery.

It is the whole machine's, whoever used it. Sources: Documentation/power/powercap/powercap.rst (`energy_uj` counts up and
begins anew behind `max_energy_range_uj`) and Documentation/ABI/testing/sysfs-class-power (`energy_now` in µWh).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

_ROOT: Final = Path("/")
_JOULES_PER_UWH: Final = 0.0036
BATTERY_S: Final = 10.0
"""How long a battery's reading counts: its firmware can take milliseconds to tell, and tells no more often than that."""


class EnergyMeter:
    """Joules since it was made. root, now: for tests.

    Packages are read where the user may (many systems let only root); else a battery, while it discharges.
    """

    def __init__(self, root: Path = _ROOT, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        zones = sorted((root / "sys/class/powercap").glob("intel-rapl:*"))
        packages = [zone for zone in zones if zone.name.count(":") == 1]  # intel-rapl:0:0 is a part of intel-rapl:0
        self._packages = [_Counter(zone) for zone in packages if _number(zone / "energy_uj") is not None]
        supplies = sorted((root / "sys/class/power_supply").glob("*"))
        self._batteries = [supply for supply in supplies if _number(supply / "energy_now") is not None]
        self._full = self._stored()
        self._drawn: float | None = 0.0
        self._read_at = now()

    @property
    def reads(self) -> bool:
        """Whether this machine tells anything."""
        return bool(self._packages or self._batteries)

    def joules(self) -> float | None:
        """None: it doesn't tell now. A battery that is being charged tells nothing."""
        if self._packages:
            read = [counter.joules() for counter in self._packages]
            return None if None in read else sum(each for each in read if each is not None)
        if not self._batteries:
            return None
        if self._now() - self._read_at >= BATTERY_S:
            self._read_at = self._now()
            self._drawn = self._from_batteries()
        return self._drawn

    def _from_batteries(self) -> float | None:
        if any(_word(each / "status") != "Discharging" for each in self._batteries):
            self._full = self._stored()
            return None
        return max(0.0, (self._full - self._stored()) * _JOULES_PER_UWH)

    def _stored(self) -> int:
        """Microwatt-hours."""
        return sum(_number(each / "energy_now") or 0 for each in self._batteries)


class _Counter:
    """One package's, which begins anew every few minutes to hours."""

    def __init__(self, zone: Path) -> None:
        self._file = zone / "energy_uj"
        self._range = _number(zone / "max_energy_range_uj") or 0
        self._last = _number(self._file) or 0
        self._used = 0

    def joules(self) -> float | None:
        now = _number(self._file)
        if now is None:
            return None
        self._used += now - self._last if now >= self._last else now - self._last + self._range
        self._last = now
        return self._used / 1e6


def _word(file: Path) -> str | None:
    try:
        return file.read_text().strip()
    except OSError:
        return None


def _number(file: Path) -> int | None:
    word = _word(file)
    return int(word) if word is not None and word.isdecimal() else None

"""Whether this machine was asleep since it was last asked: by a clock that goes on meanwhile, and one that does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

LEAST_S: Final = 1.0
"""What two clocks differ by less is chance, or a clock that was set."""


def _with_sleep_s() -> float:
    """Of a clock that goes on while the machine sleeps. Elsewhere than on Linux that is the time of day."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time() if boot is None else time.clock_gettime(boot)


class Sleep:
    """Compares the two. Either reading takes less than a microsecond."""

    def __init__(self, whole: Callable[[], float] = _with_sleep_s, awake: Callable[[], float] = time.monotonic) -> None:
        self._whole = whole
        self._awake = awake
        self._apart_s = whole() - awake()

    def slept_s(self) -> float:
        """Since the last time; 0 if it didn't."""
        apart_s = self._whole() - self._awake()
        slept_s, self._apart_s = apart_s - self._apart_s, apart_s
        return slept_s if slept_s >= LEAST_S else 0.0

"""A memory cap for systems whose kernel has none for a process: a thread that looks, and ends the process.

It looks at the most that this process ever had in memory, and needs the interpreter for it: native code that keeps the
interpreter to itself is noticed when it comes back.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Final

LOOK_S: Final = 0.25


def peak_bytes() -> int:
    """The most memory that this process had resident."""
    import resource  # Unix has it

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # getrusage(2): kB on Linux, bytes on macOS


def watch(cap_bytes: int, over: Callable[[], None]) -> None:
    """Call `over`, once, when the process has more than `cap_bytes`. It does not keep the process alive."""

    def look() -> None:
        pause = threading.Event()
        while peak_bytes() <= cap_bytes:
            pause.wait(LOOK_S)
        over()

    threading.Thread(target=look, name="memory", daemon=True).start()

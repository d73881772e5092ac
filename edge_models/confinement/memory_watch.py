"""A memory cap for systems whose kernel has none for a process: a thread that looks, and ends the process.

It looks at what this process has in memory (not at getrusage's peak, which on Linux is a parent's too), and needs the
interpreter for it: native code that keeps the interpreter to itself is noticed when it comes back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

LOOK_S: Final = 0.25


def resident_bytes() -> int:
    """The memory that this process has resident."""
    import psutil  # only where this watch is needed

    return int(psutil.Process().memory_info().rss)


def watch(cap_bytes: int, over: Callable[[], None]) -> None:
    """Call `over`, once, when the process has more than `cap_bytes`. It does not keep the process alive."""

    def look() -> None:
        pause = threading.Event()
        while resident_bytes() <= cap_bytes:
            pause.wait(LOOK_S)
        over()

    threading.Thread(target=look, name="memory", daemon=True).start()

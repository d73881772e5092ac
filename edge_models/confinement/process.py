"""What a worker does to itself before it touches a model, whatever the operating system.

The words for what holds, as the worker tells them:
no-sockets       it can't make a socket, of any family         own-network    its network leads nowhere (Linux)
landlock-N       Linux's sandbox, interface N                  no-core-dump   a crash leaves no copy of its memory
dies-with-parent the system ends it with the daemon            memory-cap     memory beyond its cap is refused
memory-watch     it ends itself beyond its cap
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import TracebackType


def confine() -> tuple[str, ...]:
    """Take this process's ways out and tie it to its parent; say what holds. Call it before any thread starts."""
    if sys.platform == "linux":
        from edge_models.confinement import linux

        linux.die_with_parent()
        return (*linux.confine(), "dies-with-parent")
    if sys.platform == "darwin":
        from edge_models.confinement import macos

        macos.die_with_parent()
        return (*macos.confine(), "dies-with-parent")
    return ()  # on Windows the daemon's job ends it: worker_process.py


def cap_memory(size_bytes: int, over: Callable[[], None]) -> tuple[str, ...]:
    """Let this process have so much memory at most. over: called where only a watch can tell, to end it."""
    if sys.platform == "linux":
        from edge_models.confinement import linux

        return ("memory-cap",) if linux.cap_memory(size_bytes) else ()
    if sys.platform == "win32":
        from edge_models.confinement import windows

        return ("memory-cap",) if windows.cap_memory(size_bytes) else ()
    from edge_models.confinement import memory_watch

    memory_watch.watch(size_bytes, over)
    return ("memory-watch",)


def end_at_once_when_broken() -> None:
    """Let what nobody foresaw end the process at once: Python's own end would wait for the thread that reads, and abort."""
    sys.excepthook = _end


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    sys.__excepthook__(kind, error, trace)
    sys.stderr.flush()
    os._exit(1)

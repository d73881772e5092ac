"""What macOS offers to hold a process. None of this was ever run: see docs/LIMITS.md."""

from __future__ import annotations

import ctypes
import os
import select
import sys
import threading
from typing import Final

from edge_models.confinement.dumps import keep_no_dumps

_SANDBOX: Final = "/usr/lib/libsandbox.1.dylib"
_PROFILE: Final = b"(version 1)(allow default)(deny network*)"
"""Apple calls sandbox_init deprecated since 10.8, and ships it; browsers and Nix hold their children by it."""


def confine() -> tuple[str, ...]:
    """Take this process's ways out, as far as this system lets us, and say what holds."""
    keep_no_dumps()
    held = ["no-core-dump"]
    message = ctypes.c_char_p()
    try:
        sandbox = ctypes.CDLL(_SANDBOX)
        if sandbox.sandbox_init(ctypes.c_char_p(_PROFILE), ctypes.c_uint64(0), ctypes.byref(message)) == 0:
            held.append("no-sockets")
    except (OSError, AttributeError):
        pass
    return tuple(held)


def die_with_parent() -> None:
    """End with the parent: a thread waits for the kernel's word of its end, which needs the interpreter for a moment."""
    threading.Thread(target=_watch, args=(os.getppid(),), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    if sys.platform == "darwin":
        try:
            news = select.kqueue()
            wanted = select.kevent(
                parent, select.KQ_FILTER_PROC, select.KQ_EV_ADD | select.KQ_EV_ONESHOT, select.KQ_NOTE_EXIT
            )
            news.control([wanted], 0)
            if os.getppid() == parent:
                news.control(None, 1)
        except OSError:  # it is gone already
            pass
        os._exit(0)

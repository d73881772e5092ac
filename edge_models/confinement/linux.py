"""What Linux offers to hold a process: no network, no way into others, no core dump, death with its parent."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from typing import Final

from edge_models.confinement import landlock, seccomp
from edge_models.confinement.dumps import keep_no_dumps

_PARENT_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG
_NEW_USER, _NEW_NETWORK = 0x1000_0000, 0x4000_0000  # CLONE_NEWUSER, CLONE_NEWNET


def confine() -> tuple[str, ...]:
    """Take this process's ways out, as far as this system lets us, and say what holds. Call it before any thread starts."""
    keep_no_dumps()
    held = ["no-core-dump"]
    domain = landlock.install()
    if seccomp.install():
        held.append("no-sockets")
    elif own_network():
        held.append("own-network")
    if domain:
        held.append(f"landlock-{domain}")
    return tuple(held)


def own_network() -> bool:
    """Go into a network of one's own, which leads nowhere. False where the system forbids it, as containers often do."""
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.unshare(_NEW_USER | _NEW_NETWORK) == 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, whatever native code it is in.

    A parent that ended before this call is noticed by its number, one that ended before we asked for that by the end of our
    input, which its death closed.
    """
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def cap_memory(size_bytes: int) -> bool:
    """Refuse this process private writable memory beyond so much: files that are mapped for reading do not count."""
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (size_bytes, size_bytes))
    except (OSError, ValueError):
        return False
    return True

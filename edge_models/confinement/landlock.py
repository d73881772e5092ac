"""Landlock, the kernel's own sandbox for those without rights: a second wall behind the filter of system calls.

A process in a domain of its own can't look into processes outside of it (/proc/PID/mem, ptrace), whatever the system's
settings for that are; from interface 4 on (Linux 6.7) it can't bind or connect TCP, from 6 on (6.12) not signal others nor
reach abstract sockets. The rule about making sockets in folders is there because a domain needs one to begin with.
"""

from __future__ import annotations

import ctypes
import os
from typing import Final

_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same for all instruction sets
_VERSION: Final = 1  # LANDLOCK_CREATE_RULESET_VERSION
_MAKE_SOCKET: Final = 1 << 9  # LANDLOCK_ACCESS_FS_MAKE_SOCK
_TCP: Final = 0b11  # LANDLOCK_ACCESS_NET_BIND_TCP, _CONNECT_TCP
_SCOPES: Final = 0b11  # LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, _SIGNAL
_NO_NEW_PRIVILEGES: Final = 38


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


def install() -> int:
    """Put this thread, and all that it starts from now on, into a domain. The interface's version; 0 where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    version: int = libc.syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION))
    if version < 1:
        return 0
    rules = _Ruleset(_MAKE_SOCKET, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    handle = libc.syscall(ctypes.c_long(_CREATE_RULESET), ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint(0))
    if handle < 0:
        return 0
    try:
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return 0
        held = libc.syscall(ctypes.c_long(_RESTRICT_SELF), ctypes.c_int(handle), ctypes.c_uint(0)) == 0
        return version if held else 0
    finally:
        os.close(handle)

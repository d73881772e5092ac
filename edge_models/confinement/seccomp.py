"""A filter of system calls that takes a process's ways out of this machine, and into other processes, for good.

Theory of operation. A seccomp program (classic BPF) looks at each call's number. Every call that makes a socket, or gets
at another process and so at its sockets, is answered with EPERM; all others pass. io_uring could make sockets past such a
filter, so it goes too. Numbers belong to an instruction set: a call of another one (32-bit code in a 64-bit process, whose
numbers mean other things) ends the process, and x32's numbers are refused whole. The filter is inherited by every thread
and child, and can't be taken off.
"""

from __future__ import annotations

import ctypes
import platform
import struct
from typing import Final

_AUDIT_X86_64: Final = 0xC000003E  # linux/audit.h
_AUDIT_AARCH64: Final = 0xC00000B7
_X32_BIT: Final = 0x4000_0000  # asm/unistd.h, __X32_SYSCALL_BIT
_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}
_ARCHITECTURE: Final = {"x86_64": _AUDIT_X86_64, "aarch64": _AUDIT_AARCH64}

REFUSED: Final[dict[str, dict[str, int]]] = {  # asm/unistd_64.h and asm-generic/unistd.h
    "x86_64": {
        "socket": 41,
        "socketpair": 53,
        "connect": 42,
        "bind": 49,
        "ptrace": 101,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "pidfd_getfd": 438,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "io_uring_register": 427,
    },
    "aarch64": {
        "socket": 198,
        "socketpair": 199,
        "connect": 203,
        "bind": 200,
        "ptrace": 117,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "pidfd_getfd": 438,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "io_uring_register": 427,
    },
}
"""A pair of sockets counts, too: one for datagrams can send to any path that somebody listens at."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_RET|K
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4  # in struct seccomp_data
_ALLOW, _EPERM, _KILL = 0x7FFF_0000, 0x0005_0001, 0x8000_0000  # SECCOMP_RET_ALLOW, _ERRNO | EPERM, _KILL_PROCESS
_SET_MODE_FILTER, _TSYNC = 1, 1
_NO_NEW_PRIVILEGES: Final = 38  # PR_SET_NO_NEW_PRIVS


def program(machine: str) -> list[tuple[int, int, int, int]]:
    """The filter for an instruction set: (code, jump if true, jump if false, operand) of each step."""
    numbers = list(REFUSED[machine].values())
    checks: list[tuple[int, int, int, int]] = []
    if machine == "x86_64":
        checks.append((_AT_LEAST, len(numbers) + 1, 0, _X32_BIT))
    checks += [(_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    return [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, _ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        *checks,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _EPERM),
    ]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def install() -> bool:
    """Put the filter over every thread of this process. False where the system has none for us."""
    machine = platform.machine()
    if machine not in REFUSED or struct.calcsize("P") != 8:
        return False
    steps = b"".join(struct.pack("=HBBI", *step) for step in program(machine))
    packed = _Program(len(steps) // 8, steps)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    call = (ctypes.c_long(_SECCOMP[machine]), ctypes.c_uint(_SET_MODE_FILTER), ctypes.c_uint(_TSYNC))
    return bool(libc.syscall(*call, ctypes.byref(packed)) == 0)

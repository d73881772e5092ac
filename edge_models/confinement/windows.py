"""Job objects: how Windows holds processes together and caps their memory. Never run: see docs/LIMITS.md."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

_EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
_PROCESS_MEMORY: Final = 0x0100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY
_DIE_ON_UNHANDLED: Final = 0x0400  # JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION: no error dialog, no report of a crash
_KILL_ON_CLOSE: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE

_jobs: list[Any] = []
"""Handles that stay open until this process ends: closing one ends its job."""


class Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION of winnt.h, for 64 bits."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


def children_die_with_us() -> bool:
    """Put this process, and all that it will start, into a job that ends when this process does, however it ends."""
    return bool(_jobs) or _join(Limits(flags=_KILL_ON_CLOSE))


def cap_memory(size_bytes: int) -> bool:
    """Refuse this process committed memory beyond so much."""
    return _join(Limits(flags=_PROCESS_MEMORY | _DIE_ON_UNHANDLED, process_memory=size_bytes))


def _join(limits: Limits) -> bool:
    """Make a job with these limits and go into it; since Windows 8 a process can be in several, one inside the other."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
        job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        if not job.value:
            return False
        size = ctypes.c_uint32(ctypes.sizeof(limits))
        own = ctypes.c_void_p(kernel.GetCurrentProcess())
        if kernel.SetInformationJobObject(
            job, _EXTENDED_LIMITS, ctypes.byref(limits), size
        ) and kernel.AssignProcessToJobObject(job, own):
            _jobs.append(job)
            return True
        kernel.CloseHandle(job)
    return False

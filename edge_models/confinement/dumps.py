"""No copy of a process's memory after a crash: it would hold the user's words."""

from __future__ import annotations

import sys


def keep_no_dumps() -> bool:
    """Have the system write none for this process and those that it starts. False where it can't be told (Windows).

    One byte and not none: Linux asks programs that collect dumps (systemd, Apport) in spite of a limit of 0, and nobody at 1
    (fs/coredump.c); a file would have to hold a page at least.
    """
    if sys.platform == "win32":
        return False
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    limit = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
    return True

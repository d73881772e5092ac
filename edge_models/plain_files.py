"""Opening files that others made: plain ones only, since whoever opens a pipe may wait for ever, and a device never ends."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""Not to wait is what keeps a pipe without a writer from being waited for; to a plain file it means nothing."""


def open_plain(path: Path) -> BufferedReader:
    """A plain file, or what a link to one leads to, for reading. Raises OSError, also if it is something else."""
    descriptor = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file", str(path))
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def read_plain(path: Path) -> bytes:
    """All of a plain file. Raises OSError."""
    with open_plain(path) as file:
        return file.read()

"""A process's own standard output, kept for its protocol before any library can print on it."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def own_standard_output() -> BinaryIO:
    """Keep a private copy of descriptor 1 for the protocol, and turn the public one to standard error."""
    private = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(private, "wb", buffering=0)


def write_all(sink: BinaryIO, data: bytes) -> None:
    """Write all of `data`, in as many pieces as the pipe takes it."""
    view = memoryview(data)
    while view:
        view = view[sink.write(view) :]

"""Standard input and output as a worker's ends of the protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from edge_models.ipc import HEADER_BYTES, body_length


def own_standard_output() -> BinaryIO:
    """Keep a private copy of descriptor 1 for the protocol, and turn the public one to standard error."""
    private = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(private, "wb", buffering=0)


def write_all(sink: BinaryIO, data: bytes) -> None:
    """Write to an unbuffered pipe, which may take less than it is given."""
    view = memoryview(data)
    while view:
        view = view[sink.write(view) :]


def bodies(source: BinaryIO) -> Iterator[bytes]:
    """The frames' bodies until the stream ends, be it in mid-frame. Raises ValueError for a frame over the limit."""
    while len(header := source.read(HEADER_BYTES)) == HEADER_BYTES:
        length = body_length(header)
        body = source.read(length)
        if len(body) < length:
            return
        yield body

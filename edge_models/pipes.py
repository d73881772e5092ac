"""Frames from a pipe, until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from edge_models.ipc import HEADER_BYTES, body_length


def bodies(source: IO[bytes]) -> Iterator[bytes]:
    """The frames' bodies until the stream ends, be it in mid-frame. Raises ValueError for a frame over the limit."""
    while len(header := source.read(HEADER_BYTES)) == HEADER_BYTES:
        length = body_length(header)
        body = source.read(length)
        if len(body) < length:
            return
        yield body

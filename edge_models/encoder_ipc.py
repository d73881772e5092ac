"""What an encoder's worker and its owner say to each other, in the frames of `edge_models.ipc`.

The first command is Open; the answers are Hello, then Opened or Failed(id=None). Then any number of Ask, each answered by
Rows, Spans or Failed with its id, in order. End of input ends the worker.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models.classifiers.base import Described, EncoderRef, Span
from edge_models.ipc import Failed, Hello, framed
from edge_models.pooling import Floats


class Open(Struct, frozen=True, tag="open"):
    """Which encoder to open. timeout_s: after it the worker ends itself. memory_cap_bytes: what it may take at most."""

    ref: EncoderRef
    timeout_s: float
    memory_cap_bytes: int


class Ask(Struct, frozen=True, tag="ask"):
    """Texts to look at, the way that the encoder's task says, or pairs, or pictures in the bytes of their files.

    timeout_s: after it the worker ends itself.
    """

    id: int
    texts: tuple[str, ...]
    timeout_s: float
    pairs: tuple[tuple[str, str], ...] = ()
    pictures: tuple[bytes, ...] = ()


class Opened(Struct, frozen=True, tag="opened"):
    """The encoder is ready."""

    about: Described


class Rows(Struct, frozen=True, tag="rows"):
    """A matrix. data: count rows of little-endian float32."""

    id: int
    count: int
    data: bytes


class Spans(Struct, frozen=True, tag="spans"):
    """For each text its spans."""

    id: int
    found: tuple[tuple[Span, ...], ...]


EncoderCommand = Open | Ask
EncoderEvent = Hello | Opened | Rows | Spans | Failed

_encoder: Final = msgspec.msgpack.Encoder()
decode_command: Final = msgspec.msgpack.Decoder(EncoderCommand).decode
decode_event: Final = msgspec.msgpack.Decoder(EncoderEvent).decode


def frame(message: EncoderCommand | EncoderEvent) -> bytes:
    """One message as a whole frame. Raises ValueError if it is over the limit."""
    return framed(_encoder.encode(message))


def rows_of(id: int, matrix: Floats) -> Rows:
    """(count, width) for the wire."""
    return Rows(id, len(matrix), matrix.astype("<f4").tobytes())


def matrix_of(rows: Rows, count: int, width: int) -> Floats:
    """The matrix again. Raises ValueError if it isn't (count, width)."""
    if rows.count != count:
        raise ValueError("a matrix has other rows than were asked for")
    return np.frombuffer(rows.data, "<f4").reshape(count, width).astype(np.float32)

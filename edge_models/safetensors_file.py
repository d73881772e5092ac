"""A safetensors file, read from hostile bytes.

Layout (github.com/huggingface/safetensors): the header's length as a little-endian u64, the header as JSON (name ->
dtype, shape, data_offsets), the data. Every offset is held against the file before it is believed. The tensors are views
into a memory map: nothing is read before it is looked at, but for BF16, which numpy doesn't know and is widened to F32.
"""

from __future__ import annotations

import mmap
from math import prod
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.plain_files import open_plain

_MOST_HEADER_BYTES: Final = 100_000_000  # the library's own limit
_TYPES: Final[dict[str, np.dtype[Any]]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I8": np.dtype("<i1"),
    "U8": np.dtype("<u1"),
}
_LENGTH_BYTES: Final = 8


class _Entry(Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


_header: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_entry: Final = msgspec.json.Decoder(_Entry)


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Name to array. Raises Unavailable, and nothing else."""
    try:
        with open_plain(path) as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(data[:_LENGTH_BYTES], "little")
        start = _LENGTH_BYTES + length
        if length > _MOST_HEADER_BYTES or start > len(data):
            raise _damaged()
        header = _header.decode(data[_LENGTH_BYTES:start])
        header.pop("__metadata__", None)
        return {name: _tensor(data, start, _entry.decode(raw)) for name, raw in header.items()}
    except (OSError, ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise _damaged() from error


def _tensor(data: mmap.mmap, start: int, entry: _Entry) -> NDArray[Any]:
    first, end = entry.data_offsets
    kind = _TYPES.get(entry.dtype)
    if kind is None:
        raise Unavailable(
            f"the encoder's weights are of type {entry.dtype[:16]}, which can't be read: take its F32 edition"
        )
    count = prod(entry.shape)
    if min(entry.shape, default=0) < 0 or not 0 <= first <= end <= len(data) - start:
        raise _damaged()
    if count * kind.itemsize != end - first:
        raise _damaged()
    values: NDArray[Any] = np.frombuffer(data, kind, count, start + first).reshape(entry.shape)
    if entry.dtype != "BF16":
        return values
    widened: NDArray[np.float32] = (values.astype("<u4") << 16).view("<f4")
    return widened


def _damaged() -> Unavailable:
    return Unavailable("the encoder's model.safetensors is damaged or no such file: fetch it again")

"""The header of a GGUF file, read from hostile bytes.

Layout (github.com/ggml-org/ggml, docs/gguf.md), all little-endian: magic, version, tensor count, field count, the
fields (key, type, value), the tensor infos (name, dims, type, offset), padding, data. Every count and length is held
against what the file has left before it is believed, so that a bad file costs an Unavailable and never the memory.
Vocabularies are stepped over and not decoded: 98,000 strings take 15 ms here and 2.4 s in the `gguf` package.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Final

from msgspec import Struct

from edge_models.engines.base import Unavailable
from edge_models.plain_files import open_plain

Scalar = int | float | bool | str
Buffer = bytes | mmap.mmap

MAGIC: Final = b"GGUF"
Q4_1: Final = 3
Q8_0: Final = 8
BLOCK: Final[dict[int, tuple[int, int]]] = {  # ggml.h `enum ggml_type`: type -> (weights, bytes) of one block
    0: (1, 4),  # F32
    1: (1, 2),  # F16
    2: (32, 18),  # Q4_0
    Q4_1: (32, 20),
    6: (32, 22),  # Q5_0
    7: (32, 24),  # Q5_1
    Q8_0: (32, 34),
    10: (256, 84),  # Q2_K
    11: (256, 110),  # Q3_K
    12: (256, 144),  # Q4_K
    13: (256, 176),  # Q5_K
    14: (256, 210),  # Q6_K
    16: (256, 66),  # IQ2_XXS; this and what follows is read by llama.cpp alone
    17: (256, 74),  # IQ2_XS
    18: (256, 98),  # IQ3_XXS
    19: (256, 50),  # IQ1_S
    20: (32, 18),  # IQ4_NL
    21: (256, 110),  # IQ3_S
    22: (256, 82),  # IQ2_S
    23: (256, 136),  # IQ4_XS
    24: (1, 1),  # I8
    25: (1, 2),  # I16
    26: (1, 4),  # I32
    27: (1, 8),  # I64
    28: (1, 8),  # F64
    29: (256, 56),  # IQ1_M
    30: (1, 2),  # BF16
    34: (256, 54),  # TQ1_0
    35: (256, 66),  # TQ2_0
    39: (32, 17),  # MXFP4
}

_FIXED_CODES: Final = (0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12)
_FIXED: Final = {code: struct.Struct("<" + c) for code, c in zip(_FIXED_CODES, "BbHhIif?Qqd", strict=True)}
_STRING: Final = 8
_ARRAY: Final = 9
_MAX_KEY_BYTES: Final = 65_535  # docs/gguf.md
_MAX_TEXT_BYTES: Final = 65_536  # longer texts are stepped over; a chat template has 0.3 to 20 kB
_MAX_ALIGNMENT: Final = 65_536  # a page at most; the format's default is 32
_u32: Final = struct.Struct("<I")
_u64: Final = struct.Struct("<Q")


class Tensor(Struct, frozen=True):
    """One tensor's place. dims: fastest first. start: of its bytes in the file."""

    name: bytes
    dims: tuple[int, ...]
    type: int
    start: int
    size_bytes: int

    @property
    def weights(self) -> int:
        """How many numbers it holds."""
        return prod(self.dims)


class Header(Struct, frozen=True):
    """Everything before the data. fields: scalars by key; None for an array or a long text.

    fields_start, fields_end: the byte range of the fields. file_type_at: where the u32 `general.file_type` stands.
    """

    version: int
    alignment: int
    fields: dict[str, Scalar | None]
    fields_start: int
    fields_end: int
    file_type_at: int | None
    tensors: tuple[Tensor, ...]

    @property
    def context_tokens(self) -> int | None:
        """The window that the model was trained for."""
        return self.number("context_length") or None

    @property
    def architecture(self) -> str:
        """What kind of network it is, in llama.cpp's words; empty if it isn't told."""
        name = self.fields.get("general.architecture")
        return name if isinstance(name, str) else ""

    def number(self, key: str) -> int | None:
        """A whole number that the architecture has, such as `block_count`; None if there is none, or several."""
        value = self.fields.get(f"{self.architecture}.{key}")
        return value if isinstance(value, int) and value >= 0 else None

    def holds(self, tensor_type: int) -> bool:
        """Whether any tensor is of that type."""
        return any(tensor.type == tensor_type for tensor in self.tensors)


class _Reader:
    """A place in the bytes that can't leave them."""

    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._size = len(data)
        self.at = 0

    def fixed(self, form: struct.Struct) -> int | float | bool:
        value: int | float | bool = form.unpack_from(self._data, self.skip(form.size))[0]
        return value

    def u32(self) -> int:
        return int(self.fixed(_u32))

    def u64(self) -> int:
        return int(self.fixed(_u64))

    def count(self, least_bytes: int) -> int:
        """A number of things of which each takes at least so many bytes."""
        number = self.u64()
        if number * least_bytes > self._size - self.at:
            raise _damaged("it announces more than it holds")
        return number

    def text(self) -> bytes:
        length = self.count(1)
        start = self.skip(length)
        return self._data[start : start + length]

    def skip(self, length: int) -> int:
        """Step over so many bytes and return where they begin."""
        start = self.at
        if length > self._size - start:
            raise _damaged("it ends too early")
        self.at = start + length
        return start

    def skip_texts(self, count: int) -> None:
        """The loop that a whole vocabulary goes through, hence without calls of our own."""
        at, last, length_at, data = self.at, self._size - _u64.size, _u64.unpack_from, self._data
        for _ in range(count):
            if at > last:
                raise _damaged("it ends too early")
            at += 8 + length_at(data, at)[0]
        self.at = at
        self.skip(0)


def _damaged(why: str) -> Unavailable:
    return Unavailable(f"the model file is damaged or no GGUF file: {why}; fetch it again")


def _value(reader: _Reader, code: int) -> Scalar | None:
    if code in _FIXED:
        return reader.fixed(_FIXED[code])
    if code == _STRING:
        text = reader.text()
        return text.decode(errors="replace") if len(text) <= _MAX_TEXT_BYTES else None
    if code != _ARRAY:
        raise _damaged(f"a field is of type {code}")
    code = reader.u32()
    if code in _FIXED:
        reader.skip(reader.count(_FIXED[code].size) * _FIXED[code].size)
    elif code == _STRING:
        reader.skip_texts(reader.count(_u64.size))
    else:
        raise _damaged(f"a list is of type {code}")
    return None


def _tensor(reader: _Reader) -> Tensor:
    """A tensor whose start is still counted from the beginning of the data."""
    name = reader.text()
    rank = reader.u32()
    if not 1 <= rank <= 4:
        raise _damaged(f"a tensor has {rank} dimensions")
    dims = tuple(reader.u64() for _ in range(rank))
    kind, offset = reader.u32(), reader.u64()
    if kind not in BLOCK:
        raise Unavailable(f"the model file uses weights of type {kind}, which is not supported; take its Q8_0 edition")
    weights, size_bytes = BLOCK[kind]
    if min(dims) < 1 or dims[0] % weights:
        raise _damaged("a tensor's shape does not fit its type")
    return Tensor(name, dims, kind, offset, prod(dims) // weights * size_bytes)


def read_header(data: Buffer) -> Header:
    """Read the header and check that every tensor lies inside `data`. Raises Unavailable, and nothing else."""
    reader = _Reader(data)
    if data[reader.skip(4) : 4] != MAGIC:
        raise _damaged("its first bytes are others")
    version = reader.u32()
    if version not in (2, 3):
        raise Unavailable(f"the model file is GGUF version {version}; versions 2 and 3 can be read")
    tensor_count, field_count = reader.count(8 + 4 + 8 + 4 + 8), reader.count(8 + 4 + 1)

    fields: dict[str, Scalar | None] = {}
    file_type_at, fields_start = None, reader.at
    for _ in range(field_count):
        raw = reader.text()
        key, code = raw[:_MAX_KEY_BYTES].decode(errors="replace"), reader.u32()
        if key in fields or len(raw) > _MAX_KEY_BYTES:
            raise _damaged("a field's name is too long or comes twice")
        if key == "general.file_type" and code == 4:
            file_type_at = reader.at
        fields[key] = _value(reader, code)
    fields_end = reader.at

    alignment = fields.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= _MAX_ALIGNMENT or alignment & (alignment - 1):
        raise _damaged("its alignment is no power of two")
    tensors = [_tensor(reader) for _ in range(tensor_count)]
    data_start = aligned(reader.at, alignment)
    placed = tuple(Tensor(t.name, t.dims, t.type, data_start + t.start, t.size_bytes) for t in tensors)
    if any(t.start + t.size_bytes > len(data) for t in placed) or sum(t.size_bytes for t in placed) > len(data):
        raise _damaged("a tensor reaches over its end")
    return Header(version, alignment, fields, fields_start, fields_end, file_type_at, placed)


def aligned(at: int, alignment: int) -> int:
    """The next multiple of `alignment`."""
    return -(-at // alignment) * alignment


@contextmanager
def mapped(path: Path) -> Iterator[mmap.mmap]:
    """A file as bytes that are read when they are looked at. Raises Unavailable if it can't be opened or is empty."""
    try:
        with open_plain(path) as file:
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise Unavailable(
            "the model file can't be read: it has to be a plain file, not empty, and yours to read"
        ) from error
    with view:
        yield view

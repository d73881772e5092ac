"""Q4_1 weights turned to Q8_0, because OpenVINO GenAI reads Q4_1 lossily: its argmax agrees with llama.cpp's in 50 %.

Q4_1: 32 weights as f16 d, f16 m and 16 bytes of nibbles, low half first; a weight is d * q + m. Q8_0: f16 d and 32
int8; a weight is d * q. Source: ggml-quants.c, and the `gguf` package, with which test_requantize.py agrees bit by bit.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.gguf_file import BLOCK, MAGIC, Q4_1, Q8_0, Header, Tensor, aligned, mapped, read_header

_MOSTLY_Q8_0: Final = 7  # llama.h `enum llama_ftype`
_CHUNK: Final = 8192 * BLOCK[Q4_1][1]  # 0.52 s for SmolLM2 on one thread; 0.65 s in chunks of 512 blocks (measured)
_ALMOST_HALF: Final = np.float32(0.49999997)  # the float below 0.5: trunc(x + it) is C's roundf, half away from zero


def requantized(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Q4_1 bytes as Q8_0 bytes. blocks: (blocks * 20,). Returns (blocks * 34,)."""
    rows = blocks.reshape(-1, 20)
    scale = rows[:, 0:2].copy().view(np.float16).astype(np.float32)
    minimum = rows[:, 2:4].copy().view(np.float16).astype(np.float32)
    halves = np.empty((len(rows), 2, 16), np.float32)
    halves[:, 0] = rows[:, 4:] & 15
    halves[:, 1] = rows[:, 4:] >> 4
    weights = halves.reshape(-1, 32)
    with np.errstate(all="ignore"):  # a hostile scale may be infinite
        weights *= scale
        weights += minimum
        step = np.abs(weights).max(axis=1, keepdims=True) / np.float32(127)
        weights *= np.where(step == 0, np.float32(0), 1 / step)
        weights += np.copysign(_ALMOST_HALF, weights)
        out = np.empty((len(rows), 34), np.uint8)
        out[:, 0:2] = step.astype(np.float16).view(np.uint8)
        out[:, 2:].view(np.int8)[...] = weights
    return out.ravel()


def requantize(source: Path, target: Path, progress: Callable[[float], None]) -> None:
    """Write `source` as `target` with every Q4_1 tensor as Q8_0 and all else as it was.

    progress: gets the fraction done, rising to 1 by hundredths. Raises Unavailable if `source` is no sound GGUF file,
    OSError if `target` can't be written.
    """
    with mapped(source) as data:
        header = read_header(data)
        fields = bytearray(data[header.fields_start : header.fields_end])
    if header.file_type_at is not None:
        struct.pack_into("<I", fields, header.file_type_at - header.fields_start, _MOSTLY_Q8_0)

    infos, placed = _infos(header)
    head = MAGIC + struct.pack("<IQQ", header.version, len(placed), len(header.fields)) + fields + infos
    total, done, told = sum(tensor.size_bytes for tensor in header.tensors), 0, 0
    with source.open("rb") as reading, target.open("wb") as writing:
        writing.write(head.ljust(aligned(len(head), header.alignment), b"\0"))
        for old, new in zip(header.tensors, placed, strict=True):
            for chunk in _chunks(reading, old):
                writing.write((requantized(chunk) if old.type == Q4_1 else chunk).data)
                done += len(chunk)
                if (percent := 100 * done // total) > told:
                    progress(percent / 100)
                    told = percent
            writing.write(bytes(aligned(new.size_bytes, header.alignment) - new.size_bytes))


def _infos(header: Header) -> tuple[bytes, list[Tensor]]:
    """The new tensor infos as bytes, and as tensors that start where they do after the beginning of the data."""
    out, placed, start = bytearray(), list[Tensor](), 0
    for tensor in header.tensors:
        kind, size_bytes = tensor.type, tensor.size_bytes
        if kind == Q4_1:
            kind, size_bytes = Q8_0, size_bytes // BLOCK[Q4_1][1] * BLOCK[Q8_0][1]
        out += struct.pack("<Q", len(tensor.name)) + tensor.name
        out += struct.pack(f"<I{len(tensor.dims)}QIQ", len(tensor.dims), *tensor.dims, kind, start)
        placed.append(Tensor(tensor.name, tensor.dims, kind, start, size_bytes))
        start += aligned(size_bytes, header.alignment)
    return bytes(out), placed


def _chunks(file: BinaryIO, tensor: Tensor) -> Iterator[NDArray[np.uint8]]:
    file.seek(tensor.start)
    left = tensor.size_bytes
    while left:
        chunk = file.read(min(left, _CHUNK))
        if not chunk or (tensor.type == Q4_1 and len(chunk) % BLOCK[Q4_1][1]):
            raise Unavailable("the model file became shorter while it was read; fetch it again")
        left -= len(chunk)
        yield np.frombuffer(chunk, np.uint8)

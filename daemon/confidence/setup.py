"""What a calibration holds for: a model file on an engine with so many threads. Any other is another model.

The same file gives other log-probabilities in another engine, and other answers with another number of threads (measured:
greedy answers of one file differ between 1 and 2 threads), so nothing measured on one is believed of another.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from edge_models.catalog import ModelRef, known

_CHUNK: Final = 1 << 20
_WHOLE: Final = 16 * _CHUNK
"""Of larger files, this much of the beginning and of the end is read, and the size: other weights differ in both."""


class Setup(Struct, frozen=True):
    """file: of the model, by what is in it. threads: that its engine may use."""

    file: str
    engine: str
    threads: int

    @property
    def key(self) -> str:
        """As files are named."""
        return f"{self.file[:16]}-{self.engine}-{self.threads}"


def setup_of(ref: ModelRef) -> Setup:
    """What a model of the settings is here. Reads up to 32 MB of its file. Raises OSError."""
    entry = known(ref.name) if ref.path is None else None
    if entry is None and not ref.path:
        raise FileNotFoundError(f"the model {ref.name} names no file")
    file = entry.sha256 if entry else _digest(Path(ref.path or ""))
    return Setup(file, ref.engine, usable_threads())


def usable_threads() -> int:
    """Processors that this process and those that it starts may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _digest(path: Path) -> str:
    files = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.name if path.is_dir() else ''}\0{size}\0".encode())
        with file.open("rb") as opened:
            while (opened.tell() < _WHOLE or size <= 2 * _WHOLE) and (chunk := opened.read(_CHUNK)):
                digest.update(chunk)
            if size > 2 * _WHOLE:
                opened.seek(size - _WHOLE)
                while chunk := opened.read(_CHUNK):
                    digest.update(chunk)
    return digest.hexdigest()

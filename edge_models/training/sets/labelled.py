"""Nearloop's own layout: JSONL with text, labels by head, and spans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import msgspec
from msgspec import structs

from edge_models.engines.base import Unavailable
from edge_models.training.rows import Row

_decoder: Final = msgspec.json.Decoder(Row)


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows as they stand there. Raises Unavailable, with the line, for one that has another form."""
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                row = _decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise Unavailable(f"{file.name}, line {number}, is no labelled text: see docs/training.md") from error
            if any(not 0 <= start < end <= len(row.text) for _, start, end in row.spans or ()):
                raise Unavailable(f"{file.name}, line {number}, has a span outside its text")
            yield structs.replace(row, source=row.source or folder.name)

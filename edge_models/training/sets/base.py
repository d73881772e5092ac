"""The contract of a set: an adapter turns the files of one folder into rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from edge_models.engines.base import Unavailable
from edge_models.training.rows import Row

Adapter = Callable[[Path, Random], Iterator[Row]]
"""From the set's folder, and a source of chance for those that make something of its texts."""


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file; lines end at \\n only. Raises Unavailable."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise Unavailable(f"{path.name} has no JSON object on line {number}") from error
    except OSError as error:
        raise Unavailable(f"{path} can't be read: --data names the folder with the training sets") from error


def strings(row: dict[str, Any], *names: str) -> tuple[str, ...]:
    """Fields of a row as text, empty where they are missing."""
    return tuple(str(row.get(name) or "") for name in names)

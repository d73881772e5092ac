"""Sets of harmless requests that are labelled with nothing that a head learns: Self-Instruct's seeds, BANKING77."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows as harmless ones."""
    for file in sorted(folder.glob("*.jsonl")):
        for raw in lines(file):
            (text,) = strings(raw, "text")
            yield Row(text, dict(BENIGN), source=folder.name)

"""lingua's sentences and pairs of words: harmless, in 75 languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows as harmless ones, so that another language alone is no alarm."""
    for raw in lines(folder / "lingua.jsonl"):
        text, kind = strings(raw, "text", "kind")
        if kind == "sentence":
            yield Row(text, dict(BENIGN), source="lingua")
        else:  # words of a dictionary, which are no names
            yield Row(text.title() if random.random() < 0.3 else text, dict(BENIGN), spans=(), source="lingua words")

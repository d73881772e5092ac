"""AdvBench and TDC 2023: plain wishes for something harmful, without any trick."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from edge_models.training.rows import Row
from edge_models.training.sets.base import lines, strings


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for harm, and as no injections and no personas: the topic is not the form."""
    for raw in lines(folder / "advbench_tdc.jsonl"):
        (text,) = strings(raw, "text")
        labels: dict[str, str | float] = {"harm": "harm", "injection": "benign", "persona": "benign"}
        yield Row(text, labels, spans=(), source="harmful_requests")

"""MetaTool: what people would ask of a plug-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for task shape, and as harmless ones."""
    for raw in lines(folder / "queries.jsonl"):
        text, tool = strings(raw, "text", "label")
        yield Row(text, {**BENIGN, "task_shape": "tool_call"}, group=f"metatool {tool}", source="metatool")

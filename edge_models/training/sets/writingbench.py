"""WritingBench: long orders for texts, English and Chinese."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings

_INVENTED: Final = ("Literature & Arts", "Education", "Advertising & Marketing")


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for task shape, fact check (where nothing needs one), and as harmless ones."""
    for raw in lines(folder / "writingbench.jsonl"):
        text, domain = strings(raw, "text", "domain")
        labels: dict[str, str | float] = {**BENIGN, "task_shape": "writing"}
        if domain in _INVENTED:
            labels["fact_check"] = "not_needed"
        yield Row(text, labels, source="writingbench")

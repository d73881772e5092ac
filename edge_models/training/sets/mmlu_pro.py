"""MMLU-Pro: exam questions of 14 subjects, with the share of 28 models that answered each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings

LONGEST: Final = 2000  # characters; a few questions bring whole articles along


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for domain, complexity and as harmless ones. None for fact_check: an exam names its subject at length, and a head
    that learns it there takes every subject for a fact."""
    for file in sorted(folder.glob("mmlu_pro.part*.jsonl")):
        for raw in lines(file):
            text, domain = strings(raw, "text", "label")
            labels: dict[str, str | float] = {**BENIGN, "domain": domain}
            if isinstance(raw.get("acc_all"), int | float):
                labels["complexity"] = 1.0 - float(raw["acc_all"])
            yield Row(text[:LONGEST], labels, source="mmlu_pro")

"""HaluEval QA: questions about facts, each with a passage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings

_ORDERS: Final = (
    "Summarise: {}",
    "{}",
    "Translate into German: {}",
    "Is this text well written? {}",
    "Context: {}\nQuestion: {}",
)


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Questions for task shape and fact check; passages as harmless documents."""
    seen = set()
    for raw in lines(folder / "halueval_qa.jsonl"):
        question, passage = strings(raw, "question", "context")
        if question in seen:  # each stands there with a right and a wrong answer
            continue
        seen.add(question)
        yield Row(question, {**BENIGN, "task_shape": "short_answer", "fact_check": "needed"}, source="halueval_qa")
        yield Row(random.choice(_ORDERS).format(passage, question), dict(BENIGN), group=question, source="halueval_qa")

"""CLINC150: short commands and questions to an assistant, which are neither attacks nor anything of the 13 subjects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings

_MONEY: Final = ("banking", "credit_cards")  # near to business: neither it nor `other`
_CHAT: Final = ("small_talk", "meta")
_UNCLEAR: Final = (
    "oos",
    "calculator",
    "definition",
    "spelling",
    "measurement_conversion",
    "translate",
    "distance",
    "time",
    "date",
)
_EASY: Final = 0.08
"""Probability that a weak model fails at an order like these: a guess, no set tells."""


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for domain, task shape, fact check, complexity and as harmless ones."""
    for raw in lines(folder / "clinc150_train.jsonl"):
        text, label, domain = strings(raw, "text", "label", "domain")
        labels: dict[str, str | float] = {**BENIGN, "complexity": _EASY}
        if domain not in _MONEY and label not in ("calculator", "oos"):
            labels["domain"] = "other"
        if label not in _UNCLEAR:
            labels["task_shape"] = "chat" if domain in _CHAT else "tool_call"
            labels["fact_check"] = "not_needed"
        yield Row(text, labels, spans=(), source="clinc150")

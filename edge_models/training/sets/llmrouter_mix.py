"""LLMRouter's mix of benchmark questions: arithmetic, code, trivia, choices."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings

_MATH: dict[str, str | float] = {"domain": "math", "task_shape": "math", "fact_check": "not_needed"}
_CODE: dict[str, str | float] = {"domain": "computer science", "task_shape": "code", "fact_check": "not_needed"}
_FACT: dict[str, str | float] = {"task_shape": "short_answer", "fact_check": "needed"}
LABELS: Final[dict[str, dict[str, str | float]]] = {
    "math": _MATH,
    "gsm8k": _MATH,
    "agentverse-mgsm": _MATH,
    "mbpp": _CODE,
    "natural_qa": _FACT,
    "trivia_qa": _FACT,
    "commongen": {"task_shape": "writing", "fact_check": "not_needed"},
}
STYLES: Final = ("{letter}. {text}", "{letter}) {text}", "({letter}) {text}", "{letter}: {text}", "- {letter} {text}")


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for task shape, fact check, domain (arithmetic and code), and as harmless ones."""
    for raw in lines(folder / "llmrouter_mix.jsonl"):
        text, kind = strings(raw, "text", "label")
        labels = {**BENIGN, **LABELS.get(kind, {})}
        choices = _choices(raw.get("choices"))
        if choices:
            text, labels["task_shape"] = f"{text}\n{_written(choices, random)}", "multiple_choice"
        yield Row(text, labels, source="llmrouter_mix")


def _choices(raw: Any) -> list[tuple[str, str]]:
    """Letter and text of each, if the row has any."""
    if isinstance(raw, str) and raw.startswith("{"):
        try:
            raw = ast.literal_eval(raw)
        except (ValueError, SyntaxError):
            return []
    if not isinstance(raw, dict):
        return []
    return list(zip(map(str, raw.get("label", ())), map(str, raw.get("text", ())), strict=False))


def _written(choices: list[tuple[str, str]], random: Random) -> str:
    style, between = random.choice(STYLES), random.choice(("\n", "\n", " ", "; "))
    return between.join(style.format(letter=letter, text=text) for letter, text in choices)

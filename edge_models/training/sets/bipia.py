"""BIPIA: e-mails, tables and code, clean or with an instruction inserted that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for injection; the place of an inserted text is known, so windows without it are harmless."""
    attacks = sorted(
        (strings(raw, "text")[0].strip() for raw in lines(folder / "attacks.jsonl")), key=len, reverse=True
    )
    for raw in lines(folder / "contexts.jsonl"):
        (text,) = strings(raw, "text")
        if not raw.get("label"):
            yield Row(text, dict(BENIGN), source="bipia")
            continue
        found = next(((text.find(attack), len(attack)) for attack in attacks if attack in text), None)
        if found:
            start, length = found
            labels: dict[str, str | float] = {"injection": "injection", "persona": "benign"}
            where = {"injection": (start, start + length)}
            yield Row(text, labels, where=where, group=f"bipia {text[start : start + length]}", source="bipia")

"""Presidio's synthetic sentences: templates with made-up personal data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row
from edge_models.training.sets.base import lines, strings

KINDS: Final = {"PERSON": "PERSON", "ORGANIZATION": "ORGANIZATION", "STREET_ADDRESS": "ADDRESS", "ADDRESS": "ADDRESS"}
"""What is learnt; all that has a pattern is left to patterns, and cities and countries are no personal data."""


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for the token head; rows of one template stay on one side of a split."""
    for raw in lines(folder / "presidio_synth.jsonl"):
        (text,) = strings(raw, "text")
        spans = tuple(
            (KINDS[span["type"]], int(span["start"]), int(span["end"]))
            for span in raw["spans"]
            if span["type"] in KINDS
        )
        yield Row(text, dict(BENIGN), spans=spans, group=f"presidio {raw.get('template')}", source="presidio_synth")

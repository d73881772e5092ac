"""WNUT-17: names in noisy posts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row, Span
from edge_models.training.sets.base import lines

KINDS: Final = {"person": "PERSON", "corporation": "ORGANIZATION", "group": "ORGANIZATION"}


def read(folder: Path, random: Random) -> Iterator[Row]:
    """Rows for the token head. The text is the tokens joined by blanks."""
    for raw in lines(folder / "wnut17.jsonl"):
        text, spans = joined(raw["tokens"], raw["tags"])
        yield Row(text, dict(BENIGN), spans=spans, source="wnut17")


def joined(tokens: list[str], tags: list[str]) -> tuple[str, tuple[Span, ...]]:
    """Text and spans of tokens in BIO form."""
    spans: list[Span] = []
    place = 0
    before = "O"
    for token, tag in zip(tokens, tags, strict=True):
        end = place + len(token)
        kind = KINDS.get(tag[2:])
        if kind and tag.startswith("I-") and before[2:] == tag[2:]:
            spans[-1] = (kind, spans[-1][1], end)
        elif kind:
            spans.append((kind, place, end))
        before, place = tag, end + 1
    return " ".join(tokens), tuple(spans)

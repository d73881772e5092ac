"""A user's labelled texts: CSV or JSONL, read with bounds and divided into three parts."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from edge_models.engines.base import Unavailable

FEWEST: Final = 8
"""Texts of a label: fewer, and nothing is left to measure on."""
MOST_BYTES: Final = 256 * 1024 * 1024
_CALIBRATED: Final = 0.15
_MEASURED: Final = 0.25


class Example(Struct, frozen=True):
    """One labelled text."""

    text: str
    label: str


_decoder: Final = msgspec.json.Decoder(Example)


def read_examples(file: Path) -> list[Example]:
    """The file's texts, each once. Raises Unavailable, with the line, for what is no labelled text."""
    if file.stat().st_size > MOST_BYTES:
        raise Unavailable(f"{file.name} is over {MOST_BYTES >> 20} MB: take a part of it")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unavailable(f"{file.name} is no UTF-8 text") from error
    found = _jsonl(file.name, text) if text.lstrip()[:1] == "{" else _csv(file.name, text)
    return list({example.text: example for example in found if example.text.strip() and example.label}.values())


def _jsonl(name: str, text: str) -> list[Example]:
    examples = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                examples.append(_decoder.decode(line))
            except msgspec.MsgspecError as error:
                raise Unavailable(f"{name}, line {number}, is no object with the texts text and label") from error
    return examples


def _csv(name: str, text: str) -> list[Example]:
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    table = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    if not {"text", "label"} <= set(table.fieldnames or ()):
        raise Unavailable(f"{name} has no columns text and label: its first line names the columns")
    return [Example(row["text"] or "", (row["label"] or "").strip()) for row in table]


def divided(examples: Sequence[Example], seed: int) -> tuple[list[Example], list[Example], list[Example]]:
    """To fit on, to calibrate on, to measure on: of each label its share, drawn by the texts' hashes."""
    parts: tuple[list[Example], list[Example], list[Example]] = ([], [], [])
    for label in sorted({example.label for example in examples}):
        ours = [example for example in examples if example.label == label]
        ours.sort(key=lambda example: hashlib.sha256(f"{seed} {example.text}".encode()).digest())
        measured = max(2, round(_MEASURED * len(ours)))
        calibrated = max(1, round(_CALIBRATED * len(ours)))
        parts[2].extend(ours[:measured])
        parts[1].extend(ours[measured : measured + calibrated])
        parts[0].extend(ours[measured + calibrated :])
    return parts

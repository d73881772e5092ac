"""Labelled texts, as every set and every template gives them to training."""

from __future__ import annotations

import hashlib
from typing import Final, Literal

from msgspec import Struct

Span = tuple[str, int, int]
"""Label, first character, character after the last."""

BENIGN: Final[dict[str, str | float]] = {"injection": "benign", "persona": "benign", "harm": "benign"}
"""What most sets know of the three scores about attacks."""

Part = Literal["", "fit", "calibrate", "measure"]
"""What a row is for; empty: its hash decides."""


class Row(Struct, frozen=True):
    """One text and what is known of it.

    labels: head to the name of its label, or for a head of two labels the probability of the second. A head that isn't
    named learns nothing from this row. spans: for token heads; None: not labelled, (): labelled, and there are none.
    where: head to the characters that its second label stands for, so that windows without them count as the first.
    group: rows of one group are never on both sides of a split; left out, a row is its own.
    language: ISO 639-1, where the text is for what is fitted by language. part: where its templates or its set decide it.
    """

    text: str
    labels: dict[str, str | float] = {}
    spans: tuple[Span, ...] | None = None
    where: dict[str, tuple[int, int]] = {}
    group: str = ""
    source: str = ""
    language: str = ""
    part: Part = ""


def held_out(row: Row, share: float = 0.12) -> bool:
    """Whether a row is for calibration and not for fitting: decided by its group, so it is the same in every run."""
    return chance(row.group or row.text) < share


def chance(name: str) -> float:
    """A number in [0, 1) that is always the same for the same name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32


def purpose(row: Row) -> Part:
    """What a row is for."""
    return row.part or ("calibrate" if held_out(row) else "fit")

"""Labelled texts, as every set and every template gives them to training."""

from __future__ import annotations

import hashlib
from typing import Final

from msgspec import Struct

Span = tuple[str, int, int]
"""Label, first character, character after the last."""

BENIGN: Final[dict[str, str | float]] = {"injection": "benign", "persona": "benign", "harm": "benign"}
"""What most sets know of the three scores about attacks."""


class Row(Struct, frozen=True):
    """One text and what is known of it.

    labels: head to the name of its label, or for a head of two labels the probability of the second. A head that isn't
    named learns nothing from this row. spans: for token heads; None: not labelled, (): labelled, and there are none.
    where: head to the characters that its second label stands for, so that windows without them count as the first.
    group: rows of one group are never on both sides of a split; left out, a row is its own.
    """

    text: str
    labels: dict[str, str | float] = {}
    spans: tuple[Span, ...] | None = None
    where: dict[str, tuple[int, int]] = {}
    group: str = ""
    source: str = ""


def held_out(row: Row, share: float = 0.12) -> bool:
    """Whether a row is for calibration and not for fitting: decided by its group, so it is the same in every run."""
    digest = hashlib.sha256((row.group or row.text).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 < share

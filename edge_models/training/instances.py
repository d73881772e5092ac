"""Rows as the encoder sees them: one instance a window, each with what is known of that very window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.pooling import Floats, Ids
from edge_models.tokenizer import Tokenizer, Window
from edge_models.training.heads import Head
from edge_models.training.rows import Row, Span

WINDOW_TOKENS: Final = 128
STRIDE_TOKENS: Final = 96
MOST_WINDOWS: Final = 4
"""Of one text in training; a long one would otherwise outvote a hundred short ones."""
UNKNOWN: Final = -100
"""A token that no head of tokens learns from: special ones, and the later pieces of a word."""
_ENOUGH: Final = 0.5
"""The share of an attack that a window has to hold to be one."""


class Instance(Struct, frozen=True):
    """One window. targets: head to a distribution over its labels. tokens: the token head's label of each, or None."""

    ids: Ids
    targets: dict[str, Floats]
    tokens: NDArray[np.int64] | None


def tokenizer(path: Path) -> Tokenizer:
    """The tokenizer as the artefact uses it: nothing padded, long texts in windows that overlap by 30 tokens."""
    return Tokenizer(path, WINDOW_TOKENS, WINDOW_TOKENS - 2 - STRIDE_TOKENS)


def instances(
    rows: Iterable[Row], tokens: Tokenizer, heads: Sequence[Head], most: int | None = MOST_WINDOWS
) -> Iterator[Instance]:
    """The windows of all rows, of each at most so many. Raises Unavailable for a label that a head doesn't have."""
    sequence = [head for head in heads if head.task == "sequence"]
    token = next((head for head in heads if head.task == "token"), None)
    for row in rows:
        for number, window in enumerate(tokens.windows(row.text)[:most]):
            targets = {}
            for head in sequence:
                if head.name in row.labels and (number == 0 or head.pool == "max" or head.spreads):
                    targets[head.name] = _target(row, head, window)
            marks = token_labels(window, row.spans, token.labels) if token and row.spans is not None else None
            if targets or marks is not None:
                yield Instance(window.ids, targets, marks)


def _target(row: Row, head: Head, window: Window) -> Floats:
    label = row.labels[head.name]
    target: Floats = np.zeros(len(head.labels), np.float32)
    if isinstance(label, str):
        if label not in head.labels:
            raise Unavailable(f"the head {head.name} has no label {label[:40]!r}: it knows {', '.join(head.labels)}")
        place = row.where.get(head.name)
        target[head.labels.index(label) if place is None or _holds(window, place) else 0] = 1.0
    else:
        target[:] = (1.0 - label, label)
    return target


def _holds(window: Window, place: tuple[int, int]) -> bool:
    start, end = place
    shown = [(first, last) for first, last in window.offsets if last > first]
    if not shown:
        return False
    held = min(end, shown[-1][1]) - max(start, shown[0][0])
    return held >= _ENOUGH * (end - start) or held >= 80  # characters; a long attack is one in each of its parts


def token_labels(window: Window, spans: Sequence[Span], labels: Sequence[str]) -> NDArray[np.int64]:
    """The label of each word's first token, in BIO form; UNKNOWN elsewhere.

    A word is in a span if it begins in it: as `edge_models.classifiers.tokens` reads it.
    """
    marks = np.full(len(window.ids), UNKNOWN, np.int64)
    before: int | None = None
    opened: Span | None = None
    for token, (start, _) in enumerate(window.offsets):
        word = window.words[token]
        if word is None or word == before:
            continue
        before = word
        span = next((span for span in spans if span[1] <= start < span[2]), None)
        if span is None:
            marks[token] = labels.index("O")
        else:
            marks[token] = labels.index(f"{'I' if span == opened else 'B'}-{span[0]}")
        opened = span
    return marks

"""From labelled words to spans."""

from __future__ import annotations

import pytest

from edge_models.classifiers.base import Span
from edge_models.classifiers.tokens import Word, joined


def spans(*labels: str) -> list[tuple[str, int, int]]:
    """Words of one character with a space between."""
    words = [Word(label, 0.5, 2 * place, 2 * place + 1) for place, label in enumerate(labels)]
    return [(span.label, span.start // 2, (span.end + 1) // 2) for span in joined(words)]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("O", "O"), []),
        (("B-PER", "I-PER", "O"), [("PER", 0, 2)]),
        (("B-PER", "B-PER"), [("PER", 0, 1), ("PER", 1, 2)]),
        (("I-PER", "I-PER"), [("PER", 0, 2)]),
        (("B-PER", "I-LOC"), [("PER", 0, 1), ("LOC", 1, 2)]),
        (("B-PER", "O", "I-PER"), [("PER", 0, 1), ("PER", 2, 3)]),
        (("EMAIL", "EMAIL", "O", "EMAIL"), [("EMAIL", 0, 2), ("EMAIL", 3, 4)]),
        (("B-GIVEN-NAME", "I-GIVEN-NAME"), [("GIVEN-NAME", 0, 2)]),
        (("CO-ORD", "CO-ORD"), [("CO-ORD", 0, 2)]),
    ],
)
def test_bio(labels: tuple[str, ...], expected: list[tuple[str, int, int]]) -> None:
    """B begins, I goes on where it can and begins where it can't, and labels without a prefix are runs."""
    assert spans(*labels) == expected


def test_the_score_is_the_mean() -> None:
    """A span is as sure as its words are on average."""
    assert joined([Word("B-X", 0.5, 0, 1), Word("I-X", 1.0, 2, 3)]) == (Span("X", 0, 3, 0.75),)

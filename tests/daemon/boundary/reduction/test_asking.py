"""The clause of a sentence that asks for something, without whom it describes."""

from __future__ import annotations

import pytest

from daemon.boundary.reduction.asking import asking
from daemon.signals.implicit.facts import facts_in


@pytest.mark.parametrize(
    ("text", "said", "of", "whole"),
    [
        ("How do I write a will?", "How do I write a will?", None, True),
        ("Draft a note for the woman who swam to Malta.", "Draft a note for", "someone", False),
        ("Is a referral needed if the woman who swam to Malta calls?", "Is a referral needed", None, False),
        (
            "The woman who swam to Malta called, how do I answer the phone politely?",
            "how do I answer the phone politely",
            None,
            False,
        ),
        ("Plan a visit to Malta with lunch.", "Plan a visit", None, False),
        ("List duties of the guard after the half-marathon in May.", "List duties of the guard", None, False),
    ],
)
def test_it_ends_where_a_description_begins(text: str, said: str, of: str | None, whole: bool) -> None:
    """With somebody behind it if its words need one; small words that led to the description go too."""
    found = asking(text, 0, len(text), tuple(facts_in(text, 0, len(text))))

    assert found is not None
    assert (found.said, found.of.instead if found.of else None, found.whole) == (said, of, whole)


@pytest.mark.parametrize(
    "text",
    [
        "The woman who swam to Malta called me.",
        "Should the woman who swam to Malta sing?",
        "He wants to write to Malta.",
    ],
)
def test_what_asks_for_nothing_without_it_is_no_asking(text: str) -> None:
    """A sentence that tells, and one whose question is about what was cut."""
    assert asking(text, 0, len(text), tuple(facts_in(text, 0, len(text)))) is None

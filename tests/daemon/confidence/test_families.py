"""What kind of question a request is."""

from __future__ import annotations

import pytest

from daemon.confidence.families import FAMILIES, READING_WORDS, family_of


@pytest.mark.parametrize(
    ("question", "family"),
    [
        ("Which of these is a fruit?\nA. a chair\nB. a pear", "choice"),
        ("What is 17 + 25?", "number"),
        ("How many legs do three cats have?", "number"),
        ("Is 7 greater than 3?", "yes_no"),
        ("Who wrote Hamlet?", "short"),
        ("who sings that song", "short"),
        ("Write a poem about the sea", "prose"),
        ("Why is the sky blue?", "prose"),
        ("Write a Python function that reverses a list", "code"),
        ("word " * READING_WORDS + "\nWhere was she born?", "reading"),
        ("word " * READING_WORDS + "\nSummarise this.", "prose"),
    ],
)
def test_families_by_form(question: str, family: str) -> None:
    """Options, digits, a text brought along and verbs of writing tell what kind of answer is wanted."""
    assert family_of(question) == family
    assert family in FAMILIES


def test_what_is_held_to_a_form_is_structured() -> None:
    """A schema or a tool decides, whatever the words are."""
    assert family_of("Who wrote Hamlet?", structured=True) == "structured"

"""Descriptions told by their form, and texts that tell of nobody real."""

from __future__ import annotations

import pytest

from daemon.signals.implicit.particular import is_made_up, particulars


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Thank the accordion teacher who adopted him, how?", "the accordion teacher who adopted him"),
        ("Mail the agency run by two heirs.", "the agency run by two heirs"),
        ("Our glazier, a former monk, called.", "Our glazier, a former monk, called"),
        ("Ask the usher with the glass eye; soon.", "the usher with the glass eye"),
        ("Thank the heir of the man who sang!", "the heir of the man who sang"),
        ("Patient: female, skater.", "Patient: female, skater"),
        ("It was our only wizard.", "our only wizard"),
        ("Our app that lets goats work crashed.", "Our app that lets goats work crashed"),
    ],
)
def test_a_form_tells_a_description(text: str, what: str) -> None:
    """Whatever the word for whom it is about, from its determiner to the end of its clause."""
    assert [text[start:end] for start, end in particulars(text, 0, len(text))] == [what]


@pytest.mark.parametrize(
    "text",
    [
        "A runner who wants to finish needs a plan.",
        "The only way is up.",
        "Fix the function that returns early in `main`.",
        "Write an email about the problem with the heater.",
    ],
)
def test_what_is_about_nobody_has_no_such_form(text: str) -> None:
    """Anybody of a kind, a way, code and a thing that is broken."""
    assert not list(particulars(text, 0, len(text)))


@pytest.mark.parametrize(
    ("text", "made_up"),
    [
        ("Write a story about a king.", True),
        ("Write a poem for my barber.", False),
        ("A baker sells 120 loaves at $3. How much does he earn?", True),
        ("My baker sells 120 loaves at $3. How much should I pay?", False),
        ("Write a SQL query for customers who left in 2023.", True),
        ("The mayor resigned. What now?", False),
    ],
)
def test_fiction_code_and_problems_of_arithmetic_are_made_up(text: str, made_up: bool) -> None:
    """Unless they speak of somebody of the user's."""
    assert is_made_up(text) is made_up

"""Answers in comparable forms."""

from __future__ import annotations

from decimal import Decimal

import pytest

from daemon.confidence.canonical import agrees, canonical, form_of, letter, number, plain, yes_no
from daemon.confidence.families import Family

OPTIONS = "Which?\nA. a van\nB. a lute\nC. the big house"


def test_words_are_bare() -> None:
    """Case, marks, accents and articles make no difference."""
    assert plain("The  Café, “Zürich”!") == "cafe zurich"


@pytest.mark.parametrize(
    ("text", "value"),
    [("17", "17"), ("12 + 5 = 17.0", "17"), ("about 1,200 of them", "1200"), ("-3", "-3"), ("none", None)],
)
def test_the_last_number_is_the_result(text: str, value: str | None) -> None:
    """What is reckoned on the way is not the answer; thousands' marks and trailing zeros are none."""
    assert number(text) == (None if value is None else Decimal(value))


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("B", "B"),
        ("(C)", "C"),
        ("A.", "A"),
        ("**B**", "B"),
        ("The answer is B", "B"),
        ("A lute", "B"),
        ("A van", "A"),
        ("Big house!", "C"),
        ("A and B", None),
        ("B or C", None),
        ("a boat", None),
    ],
)
def test_an_option_is_named_by_letter_or_words(text: str, chosen: str | None) -> None:
    """`A` before a word is an article; two options are none."""
    assert letter(text, OPTIONS) == chosen


def test_yes_and_no_stand_first() -> None:
    """What comes after them is their reason."""
    assert (yes_no("Yes, it is."), yes_no("No"), yes_no("Perhaps not")) == ("yes", "no", None)


def test_agreement() -> None:
    """An accepted answer stands in it as whole words, a number is equal, and no answer agrees with nothing."""
    assert agrees("It is the city of Paris.", ("Paris",), "short")
    assert not agrees("Parisian", ("Paris",), "short")
    assert agrees("4 * 3 = 12", ("12.0",), "number")
    assert not agrees("", ("",), "short")
    assert canonical("I don't know", "number") == ""


@pytest.mark.parametrize(
    ("one", "other", "family", "same"),
    [
        ("B. a lute", "The answer is B.\nQuestion: and then?", "choice", True),
        ("Zürich\nQuestion: next?", "zurich.", "short", True),
        ('{"a": 1, "b": [2]}', '```json\n{ "b": [2], "a": 1 }\n```', "structured", True),
        ('{"a": 1}', '{"a": "1"}', "structured", False),
        ("def f(x):\n    return x+1", "```python\ndef f(x): return x + 1  # one more\n```", "code", True),
        ("def f(x):\n    return x+1", "def f(x):\n    return x-1", "code", False),
    ],
)
def test_further_answers_compare_by_form(one: str, other: str, family: Family, same: bool) -> None:
    """First lines as their family has it; JSON and Python by what they mean, however they are written."""
    assert (form_of(one, family, OPTIONS) == form_of(other, family, OPTIONS)) is same
    assert form_of(one, family, OPTIONS)


@pytest.mark.parametrize(
    ("text", "family"), [("{", "structured"), ("I can't say", "code"), ("", "code"), ("", "short")]
)
def test_what_can_t_be_read_has_no_form(text: str, family: Family) -> None:
    """Such answers agree with nothing."""
    assert form_of(text, family) == ""

"""Whether words tell again what was taken out of a request."""

from __future__ import annotations

import pytest

from daemon.boundary.reduction.request import reduced_request
from daemon.boundary.reduction.told_again import told_again
from providers.contract import Message, Request, Text

TOLD = "My neighbor, a retired judge from Burlington, was diagnosed with leukemia in 2019. How can I help?"


def asking(text: str) -> Request:
    turns = (Message("system", (Text("Answer as a friend."),)), Message("user", (Text(text),)))
    return Request(id="0" * 16, model="auto", protocol="t", messages=turns)


@pytest.mark.parametrize(
    ("words", "again"),
    [
        ("Treatment of leukemia takes months.", True),
        ("In BURLINGTON there are good hospitals.", True),
        ("Since 2019 much has changed.", True),
        ("Bring food, drive them to the doctor, and listen.", False),
        ("Below are answers. Score each from 0 to 10. It was the first and only one.", False),
        ("", False),
    ],
)
def test_one_word_of_a_fact_is_enough(words: str, again: bool) -> None:
    """In any case and of any kind; small words, and what is told of anything else, are none."""
    request = asking(TOLD)
    less = reduced_request(request).request
    assert less is not None

    assert told_again(request, less, words) is again


def test_what_is_left_is_no_secret() -> None:
    """A word that the request said with less has, too, leaves anyway; and nothing was taken out of an equal one."""
    assert not told_again(asking(TOLD), asking("Is leukemia treatable?"), "It is: leukemia.")
    assert told_again(asking(TOLD), asking("Is leukemia treatable?"), "It is: leukemia, even in Burlington.")
    assert not told_again(asking(TOLD), asking(TOLD), TOLD)


def test_short_names_and_numbers_count() -> None:
    """Three letters of a town are a town."""
    request = asking("Our former mayor of Rio, aged 54, won the lottery last week. What would you write to him?")
    less = asking("It is about someone. What would you write to him?")

    assert told_again(request, less, "In Rio one says Parabéns.")
    assert told_again(request, less, "At 54 one is young.")
    assert not told_again(request, less, "Congratulations!")

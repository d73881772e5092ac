"""Facts by which somebody could be guessed: their kinds, and what may be said instead."""

from __future__ import annotations

import pytest

from daemon.signals.implicit.facts import facts_in
from daemon.signals.implicit.heads import ORGANIZATIONS, PERSONS


def told(text: str) -> set[tuple[str, str]]:
    return {(fact.kind, text[fact.start : fact.end]) for fact in facts_in(text, 0, len(text))}


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("Ask the head nurse of the only clinic in Sitka.", "person", "the head nurse of the only clinic in Sitka"),
        ("Ask my boss and I will too.", "person", "my boss"),
        ("Our largest customer, a winery in Oslo, called.", "person", "Our largest customer, a winery in Oslo,"),
        ("She runs a mid-sized bank in Leeds.", "organization", "a mid-sized bank in Leeds"),
        ("The engineer who left in May was paid.", "person", "The engineer who left in May"),
        ("He was hired on 3 May 2021.", "date", "on 3 May 2021"),
        ("It closed last March, at night.", "date", "last March"),
        ("She left three weeks ago.", "date", "three weeks ago"),
        ("He is 34 years old.", "age", "34 years old"),
        ("A woman aged 62 came.", "age", "aged 62"),
        ("They owe $48,000 to us.", "size", "$48,000"),
        ("A place with 900 people.", "size", "900 people"),
        ("They live near Upper Volta now.", "place", "near Upper Volta"),
        ("She was arrested there.", "event", "arrested"),
        ("He has Parkinson's.", "condition", "Parkinson's"),
        ("the oldest of them", "apart", "the oldest"),
    ],
)
def test_each_kind_is_told_by_its_form(text: str, kind: str, what: str) -> None:
    """And a description goes on as long as it says more of the same."""
    assert (kind, what) in told(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("In Python I write code.", "place"),
        ("Translate it to German, please.", "place"),
        ("We meet on Monday in May.", "place"),
        ("The price is 34.", "age"),
        ("Pages 12 and 14 are missing.", "size"),
        ("Write an email about the heater.", "person"),
    ],
)
def test_what_only_looks_like_one_is_none(text: str, kind: str) -> None:
    """A language, a month and a number are no places, ages or sizes."""
    found = {fact.kind for fact in facts_in(text, 0, len(text)) if fact.instead}

    assert kind not in found


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("She is 34 years old.", "in their 30s"),
        ("A 16-year-old called.", "quite young"),
        ("It cost $2.4 million.", "a large sum"),
        ("It cost $40.", "some money"),
        ("It has 12 employees.", "some"),
        ("It has 12,000 employees.", "very many"),
    ],
)
def test_numbers_become_their_order(text: str, instead: str) -> None:
    """A decade and a magnitude, not the figure."""
    assert instead in {fact.instead for fact in facts_in(text, 0, len(text))}


def test_no_word_is_said_of_persons_and_organizations_alike_unawares() -> None:
    """What is said instead of a person never is what is said instead of an organization."""
    assert not set(PERSONS.values()) & set(ORGANIZATIONS.values())

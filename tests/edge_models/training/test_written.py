"""Rows of our own templates."""

from __future__ import annotations

import re
from random import Random

from edge_models.training.heads import HEADS
from edge_models.training.written import WRITTEN, Borrowed, attacks, benign, people

LABELS = {head.name: head.labels for head in HEADS}


def test_all_labels_are_those_of_the_heads() -> None:
    """What templates are labelled with exists, and spans lie in their texts."""
    for maker in WRITTEN:
        for row in maker(Random(3), Borrowed(("A passage by somebody.",), ("book a table",))):
            assert row.text.strip()
            assert all(label in LABELS[head] for head, label in row.labels.items())
            assert all(0 <= start < end <= len(row.text) for _, start, end in row.spans or ())


def test_no_slot_is_left_open() -> None:
    """Every slot that a template names is filled: a brace in a text would be learnt as a sign of its label."""
    for maker in WRITTEN:
        for row in maker(Random(4), Borrowed(("A passage by somebody.",), ("book a table",))):
            assert not re.search(r"\{[A-Za-z]+\}", row.text), row.text


def test_an_attack_stands_where_it_is_said_to() -> None:
    """The place of an inserted attack holds the text that its group names."""
    hidden = [row for row in attacks(Random(3), Borrowed(("A passage.",))) if row.where["injection"][0] > 0]

    assert len(hidden) > 500
    for row in hidden:
        start, end = row.where["injection"]
        assert row.text[start:end] == row.group.removeprefix("attack ")


def test_the_same_seed_gives_the_same_rows() -> None:
    """Chance is the seed's alone."""
    assert list(benign(Random(5), Borrowed())) == list(benign(Random(5), Borrowed()))


def test_names_are_what_is_marked() -> None:
    """Spans of people are names and addresses, never e-mail addresses or numbers alone."""
    for row in people(Random(3), Borrowed()):
        for _, start, end in row.spans or ():
            assert "@" not in row.text[start:end]
            assert any(character.isalpha() for character in row.text[start:end])

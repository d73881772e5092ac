"""Names that everybody knows."""

from __future__ import annotations

import pytest

from daemon.signals.public_names import everybody_knows, looks_like_a_name


@pytest.mark.parametrize(
    "name", ["Amazon", "AWS", "Google Cloud", "microsoft excel", "GitHub, Inc.", "Stack Overflow Google"]
)
def test_a_famous_name_is_known(name: str) -> None:
    """A name of world-wide use is known with the words that go with it."""
    assert everybody_knows(name)


@pytest.mark.parametrize(
    "name", ["Nordhof Google Partners", "Red Hat", "Acme", "Visa Office", "Hansa Cloud Services", "", "…"]
)
def test_others_are_not(name: str) -> None:
    """One word that isn't famous, or only words that mean something else as well, make a name somebody's own."""
    assert not everybody_knows(name)


@pytest.mark.parametrize("words", ["Nordhof", "nordhof gmbh", "iTech", "3m", "北京大学", "ACME"])
def test_what_is_written_as_a_name_is_one(words: str) -> None:
    """A capital, a digit, a legal form, or a script that has no capitals."""
    assert looks_like_a_name(words)


@pytest.mark.parametrize("words", ["first principles", "the sales team", "billing-prod"])
def test_plain_words_are_none(words: str) -> None:
    """Nothing sets them apart from the other words of a sentence."""
    assert not looks_like_a_name(words)

"""The dictionary with and without words."""

from __future__ import annotations

import pytest

from daemon.errors import BadRequest, NotFound
from daemon.own_words import with_words, without
from daemon.settings import Dictionary


def test_a_word_is_there_once() -> None:
    """Another case of it is the same word; another kind is another one."""
    known = with_words(Dictionary(), "person", ("Quellbrunn", "Quellbrunn"))
    known = with_words(known, "person", ("QUELLBRUNN",))
    known = with_words(known, "harmless", ("quellbrunn",))

    assert known == Dictionary(people=("Quellbrunn",), harmless=("quellbrunn",))


def test_a_word_is_forgotten_in_every_kind() -> None:
    """In any case; what isn't there is said."""
    known = Dictionary(people=("Quellbrunn", "Ada"), harmless=("quellbrunn",))

    assert without(known, ["QUELLBRUNN"]) == Dictionary(people=("Ada",))
    with pytest.raises(NotFound):
        without(known, ["nobody"])


@pytest.mark.parametrize("word", ["x", "é", "--", "", "x" * 201, "x(" * 5000])
def test_what_is_no_word(word: str) -> None:
    """What can't be told from other text is refused, and the others with it; the sentence names it, and stays one."""
    with pytest.raises(BadRequest, match="two letters or digits") as refused:
        with_words(Dictionary(), "term", ("falcon", word))
    assert str(refused.value).startswith(f"“{word[:40]}")
    assert len(str(refused.value)) < 200

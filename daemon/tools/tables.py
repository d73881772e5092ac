"""Tables of words, as this folder writes them: many to a line."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.settings import Effect


def listed(words: str) -> frozenset[str]:
    """Of a text with spaces between them."""
    return frozenset(words.split())


def by_word(classes: Mapping[Effect, str]) -> dict[str, Effect]:
    """The class of each word; of a word in two, the later one."""
    return {word: effect for effect, words in classes.items() for word in words.split()}

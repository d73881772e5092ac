"""The user's own words: names of people, customers, projects, tables and machines that no pattern could know.

A word is found in any convention of writing: `falcon ledger` stands in `falcon_ledger`, `FalconLedgerService`,
`FALCON-LEDGER` and `falconledger.internal`, but not in `falconledgers` turned to something else or within another word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.settings import Dictionary as Words
from daemon.signals.base import Found, Kind
from daemon.signals.overlaps import border, folded, places, settle

_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN: Final = r"[\s_\-./]{0,2}"


class Dictionary:
    """The rule. One edition of the words; see Shelf for the one in use."""

    signal = "pii"
    kind = Kind.PRIVACY

    def __init__(self, words: Words) -> None:
        self._entries = [
            (label, _WORD.findall(folded(entry)))
            for label, entries in (
                ("PERSON", words.people),
                ("ORGANIZATION", words.organizations),
                ("TERM", words.terms),
            )
            for entry in entries
        ]
        self._patterns = [
            (label, said[0], re.compile(_BETWEEN.join(map(re.escape, said)))) for label, said in self._entries if said
        ]

    @property
    def words(self) -> frozenset[str]:
        """Each word of them by itself, in small letters."""
        return frozenset(word for _, said in self._entries for word in said)

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        return settle(self._hits(text)) if self._patterns else ()

    def _hits(self, text: str) -> Iterator[Found]:
        lower = folded(text)
        for label, first, pattern in self._patterns:
            for at in places(lower, (first,)):
                found = pattern.match(lower, at)
                if found is not None and _stands_alone(text, at, found.end()):
                    yield Found(at, found.end(), label)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what was found is no part of a longer word, as identifiers have words."""
    return (start == 0 or border(text[start - 1], text[start])) and (
        end == len(text) or border(text[end - 1], text[end])
    )


class Shelf:
    """The words in use: all families and recipes read from one, so that a new word counts at once."""

    def __init__(self, words: Words) -> None:
        self.rule = Dictionary(words)

    def take(self, words: Words) -> None:
        """Put others to use."""
        self.rule = Dictionary(words)

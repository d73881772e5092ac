"""The user's own words: what may be one, and the dictionary with or without some."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from daemon.errors import BadRequest, NotFound
from daemon.settings import WORD, WORD_CHARS, Dictionary

KINDS: Final = {"person": "people", "organization": "organizations", "term": "terms", "harmless": "harmless"}
"""What a word can be, and the field of the settings that holds those."""

_SHOWN_CHARS: Final = 40
"""Of a word that is none, in the sentence that says so."""


def fits(word: str) -> bool:
    """Whether it can be told from other text."""
    return re.search(WORD, word) is not None and len(word) <= WORD_CHARS


def with_words(known: Dictionary, kind: str, words: tuple[str, ...]) -> Dictionary:
    """With words of a kind, each once whatever its case. Raises BadRequest if one is none."""
    if (unfit := next((word for word in words if not fits(word)), None)) is not None:
        shown = unfit if len(unfit) <= _SHOWN_CHARS else f"{unfit[:_SHOWN_CHARS]}…"
        raise BadRequest(
            f"“{shown}” can't be told from other text: a word has two letters or digits side by side, and "
            f"{WORD_CHARS} characters at most"
        )
    fields = {field: getattr(known, field) for field in KINDS.values()}
    field = KINDS[kind]
    there = {word.casefold() for word in fields[field]}
    fields[field] += tuple(word for word in dict.fromkeys(words) if word.casefold() not in there)
    return Dictionary(**fields)


def without(known: Dictionary, words: Iterable[str]) -> Dictionary:
    """Without these, of whatever kind and case. Raises NotFound if none of them is there."""
    gone = {word.casefold() for word in words}
    left = Dictionary(
        **{
            field: tuple(word for word in getattr(known, field) if word.casefold() not in gone)
            for field in KINDS.values()
        }
    )
    if left == known:
        raise NotFound("not in the dictionary; `nearloop dictionary list` shows it")
    return left

"""Keywords as whole words, in any script.

Upstream wraps each keyword in ASCII word boundaries, so that `C++`, `.NET`, `café` and whole scripts never match (its issue
3710). Here a boundary is asked for only at an edge of the keyword that is a word character of a script that puts spaces
between words. Korean does, and still hangs its particles on the word before, so Hangul counts as unspaced.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from daemon.recipes.signals import Keyword
from daemon.signals.base import Span
from daemon.signals.overlaps import folded
from providers.texts import Field

_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # Han, Kana and their signs
    (0xA960, 0xA97F),  # Hangul letters
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFFDC),  # half-width Kana and Hangul
    (0x1AFF0, 0x1B16F),  # Kana
    (0x20000, 0x323AF),  # Han
)


def _ties(character: str) -> bool:
    """Whether a word goes on with this character, in a script where spaces end words."""
    if character.isascii():
        return character.isalnum() or character == "_"
    code = ord(character)
    if any(low <= code <= high for low, high in _UNSPACED):
        return False
    return character.isalnum() or unicodedata.category(character)[0] == "M"  # a combining mark belongs to its letter


class WholeWords:
    """One rule, ready to look."""

    def __init__(self, rule: Keyword) -> None:
        self._name = rule.name
        self._case_sensitive = rule.case_sensitive
        self._keywords = tuple(tuple(forms(keyword, rule.case_sensitive)) for keyword in rule.keywords)

    def matched(self, said: tuple[Field, ...]) -> tuple[int, tuple[Span, ...]]:
        """How many keywords are there, and where."""
        matched = 0
        spans: list[Span] = []
        texts = [(field, field.text if self._case_sensitive else folded(field.text)) for field in said]
        for written in self._keywords:
            before = len(spans)
            for field, text in texts:
                for form in written:
                    spans += [
                        Span(field.path, start, start + len(form), self._name, field.fixed)
                        for start in places(text, form)
                    ]
            matched += len(spans) > before
        return matched, tuple(sorted(spans, key=lambda span: (span.path, span.start, span.end)))


def forms(keyword: str, case_sensitive: bool) -> Iterator[str]:
    """How a keyword may be written: composed, or with combining marks as macOS does."""
    same = keyword if case_sensitive else folded(keyword)
    yield from dict.fromkeys((unicodedata.normalize("NFC", same), unicodedata.normalize("NFD", same)))


def places(text: str, keyword: str) -> Iterator[int]:
    """Where the keyword stands as a whole. A blank one stands nowhere."""
    if not keyword.strip():
        return
    start = text.find(keyword)
    while start >= 0:
        end = start + len(keyword)
        open_left = start == 0 or not (_ties(keyword[0]) and _ties(text[start - 1]))
        if open_left and (end == len(text) or not (_ties(keyword[-1]) and _ties(text[end]))):
            yield start
        start = text.find(keyword, end)

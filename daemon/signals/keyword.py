"""Keyword rules of the user's own, over what the user said last.

Upstream wraps each keyword in ASCII word boundaries, so that `C++`, `.NET`, `café` and whole scripts never match (its issue
3710). Here a boundary is asked for only at an edge of the keyword that is a word character of a script that puts spaces
between words. Korean does, and still hangs its particles on the word before, so Hangul counts as unspaced.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from time import perf_counter
from typing import Final

from daemon.settings import Keywords, Signals
from daemon.signals.base import Kind, Observation, Span
from daemon.signals.overlaps import folded
from providers.contract import Request, Text
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


class _Rule:
    """One rule, ready to look."""

    def __init__(self, name: str, settings: Keywords) -> None:
        self.name = name
        self.operator = settings.operator
        self.case_sensitive = settings.case_sensitive
        self.keywords = tuple(tuple(self._forms(keyword)) for keyword in settings.keywords)

    def _forms(self, keyword: str) -> Iterator[str]:
        """How the keyword may be written: composed, or with combining marks as macOS does."""
        same = keyword if self.case_sensitive else folded(keyword)
        yield from dict.fromkeys((unicodedata.normalize("NFC", same), unicodedata.normalize("NFD", same)))

    def look(self, fields: list[tuple[Field, str]]) -> tuple[int, list[Span]]:
        """How many keywords are there, and where. fields: each with its text in lower case."""
        matched = 0
        spans: list[Span] = []
        for forms in self.keywords:
            before = len(spans)
            for field, lower in fields:
                text = field.text if self.case_sensitive else lower
                for form in forms:
                    spans += [
                        Span(field.path, start, start + len(form), self.name, field.fixed)
                        for start in _places(text, form)
                    ]
            matched += len(spans) > before
        return matched, sorted(spans, key=lambda span: (span.path, span.start, span.end))

    def matches(self, matched: int) -> bool:
        """Whether the operator is content with so many keywords."""
        match self.operator:
            case "OR":
                return matched > 0
            case "AND":
                return matched == len(self.keywords)
            case "NOR":
                return matched == 0


def _places(text: str, keyword: str) -> Iterator[int]:
    """Where the keyword stands as a whole."""
    if not keyword:
        return
    start = text.find(keyword)
    while start >= 0:
        end = start + len(keyword)
        open_left = start == 0 or not (_ties(keyword[0]) and _ties(text[start - 1]))
        if open_left and (end == len(text) or not (_ties(keyword[-1]) and _ties(text[end]))):
            yield start
        start = text.find(keyword, end)


def _last_words(request: Request, fields: tuple[Field, ...]) -> list[Field]:
    """The texts of the last message that the user wrote."""
    for place in range(len(request.messages) - 1, -1, -1):
        message = request.messages[place]
        if message.role == "user":
            said = {f"messages[{place}].parts[{n}]" for n, part in enumerate(message.parts) if isinstance(part, Text)}
            return [field for field in fields if field.path in said]
    return []


class KeywordRules:
    """The signal. Its score is upstream's: 0.5 + 0.5 · matched / all; its value is how many matched."""

    signal = "keyword"
    kind = Kind.ROUTE

    def __init__(self, settings: Signals) -> None:
        self._rules = tuple(_Rule(name, rule) for name, rule in settings.keywords.items())

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        """One observation for each rule that matches."""
        if not self._rules:
            return []
        said = [(field, folded(field.text)) for field in _last_words(request, fields)]
        scanned = sum(len(field.text) for field, _ in said)
        observations = []
        for rule in self._rules:
            began = perf_counter()
            matched, spans = rule.look(said)
            if rule.matches(matched):
                observations.append(
                    Observation(
                        signal=self.signal,
                        kind=self.kind,
                        name=rule.name,
                        score=0.5 + 0.5 * matched / len(rule.keywords),
                        value=float(matched),
                        spans=tuple(spans),
                        took_ms=(perf_counter() - began) * 1000,
                        scanned=scanned,
                    )
                )
        return observations

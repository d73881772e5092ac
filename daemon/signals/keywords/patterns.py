"""Keywords as regular expressions, which upstream takes them for where a rule says `method: regex`.

The library gives up after a time, which Python's own can't: a pattern of a recipe must not hold the interpreter for ever.
A keyword that is no pattern, such as `C++` (which to RE2 it is not), is looked for as it stands.
"""

from __future__ import annotations

from typing import Final

import regex

from daemon.recipes.signals import Keyword
from daemon.signals.base import Span
from providers.texts import Field

PATTERN_S: Final = 0.25
"""How long one pattern may take on one text: a plain one reads 130 kB in a millisecond."""

_POSSESSIVE: Final = regex.compile(r"(?<!\\)[*+?}]\+")
"""Quantifiers that RE2 doesn't have, so that a recipe that works upstream means the plus sign."""


def compiled(pattern: str, case_sensitive: bool) -> regex.Pattern[str]:
    """Ready to search. A pattern that is none becomes the text itself."""
    flags = regex.VERSION0 if case_sensitive else regex.VERSION0 | regex.IGNORECASE
    if _POSSESSIVE.search(pattern):
        return regex.compile(regex.escape(pattern), flags)
    try:
        return regex.compile(pattern, flags)
    except (regex.error, OverflowError, RecursionError):
        return regex.compile(regex.escape(pattern), flags)


class Patterns:
    """One rule, ready to look."""

    def __init__(self, rule: Keyword) -> None:
        self._name = rule.name
        self._patterns = tuple(compiled(keyword, rule.case_sensitive) for keyword in rule.keywords)

    def matched(self, said: tuple[Field, ...]) -> tuple[int, tuple[Span, ...]]:
        """How many patterns are there, and where each of them is first. Raises TimeoutError."""
        matched = 0
        spans: list[Span] = []
        for pattern in self._patterns:
            hits = [(field, hit) for field in said if (hit := pattern.search(field.text, timeout=PATTERN_S))]
            matched += bool(hits)
            spans += [
                Span(field.path, hit.start(), hit.end(), self._name, field.fixed)
                for field, hit in hits
                if hit.start() < hit.end()
            ]
        return matched, tuple(sorted(spans, key=lambda span: (span.path, span.start, span.end)))

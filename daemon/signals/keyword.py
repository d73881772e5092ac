"""Keyword rules, over what the user said last."""

from __future__ import annotations

from time import perf_counter
from typing import Protocol

from msgspec.structs import replace

from daemon.recipes.signals import Keyword, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, Span, unreadable
from daemon.signals.keywords.whole_words import WholeWords
from daemon.signals.parts import Parts
from providers.texts import Field


class _Method(Protocol):
    def matched(self, said: tuple[Field, ...]) -> tuple[int, tuple[Span, ...]]: ...


def _method(rule: Keyword) -> _Method:
    """The way a rule compares. What is seldom asked for is loaded when it is."""
    if rule.method == "bm25":
        from daemon.signals.keywords.ranking import Ranking

        return Ranking(rule)
    if rule.method == "ngram":
        from daemon.signals.keywords.likeness import Ngrams

        return Ngrams(rule)
    if rule.fuzzy_match:
        from daemon.signals.keywords.likeness import Fuzzy

        return Fuzzy(rule)
    if rule.method == "regex":
        from daemon.signals.keywords.patterns import Patterns

        return Patterns(rule)
    return WholeWords(rule)


class KeywordRules:
    """The signal. Its score is upstream's: 0.5 + 0.5 · matched / all; its value is how many matched.

    A blank keyword would be in every text, so it is none; a rule that has no other never holds.
    """

    signal = "keyword"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        kept = (replace(rule, keywords=tuple(filter(str.strip, rule.keywords))) for rule in rules.keywords)
        self._rules = tuple((rule, _method(rule)) for rule in kept if rule.keywords)

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that matches."""
        return [seen for rule, method in self._rules if (seen := self._look(rule, method, asked))]

    def _look(self, rule: Keyword, method: _Method, asked: Asked) -> Observation | None:
        began = perf_counter()
        try:
            matched, spans = method.matched(asked.said)
        except TimeoutError:
            return unreadable(self, rule.name, "TimeoutError")
        if not _holds(rule, matched):
            return None
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            score=0.5 + 0.5 * matched / len(rule.keywords),
            value=float(matched),
            spans=spans,
            took_ms=(perf_counter() - began) * 1000,
            scanned=sum(len(field.text) for field in asked.said),
        )


def _holds(rule: Keyword, matched: int) -> bool:
    """Whether the operator is content with so many keywords."""
    match rule.operator:
        case "AND":
            return matched == len(rule.keywords)
        case "NOR":
            return matched == 0
        case _:
            return matched > 0

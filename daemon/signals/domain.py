"""The field of knowledge that a request is from: one of MMLU-Pro's fourteen."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Domain, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts

HEAD: Final = "domain"
FALLBACK: Final = "other"
"""Of what no field is sure enough for; upstream's `fallback_category`."""


def chosen(chances: dict[str, float], threshold: float) -> tuple[str, float]:
    """The field of a text, and how sure."""
    best = max(chances, key=lambda field: chances[field])
    if chances[best] >= threshold:
        return best, chances[best]
    return FALLBACK, chances.get(FALLBACK, 0.0)


class Domains:
    """The signal. Rules match that have the field among their categories, or are called like it.

    Its value is the probability of all of a rule's categories together, matched or not.
    """

    signal = "domain"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.domains
        self._heads = parts.heads
        self.lane: Lane = "models" if rules.domains else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule. Raises Unread."""
        if not self._rules or not asked.words.strip():
            return []
        began = perf_counter()
        threshold = self._heads.head(HEAD).threshold
        chances = self._heads.whole(HEAD, asked.words, asked.in_time)
        field, sure = chosen(chances, threshold)
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                score=sure if field in _categories(rule) else 0.0,
                value=min(1.0, sum(chances.get(category, 0.0) for category in _categories(rule))),
                matched=field in _categories(rule),
                took_ms=took_ms,
                scanned=len(asked.words),
                validated=self._heads.validated(HEAD),
            )
            for rule in self._rules
        ]


def _categories(rule: Domain) -> tuple[str, ...]:
    return rule.mmlu_categories or (rule.name,)

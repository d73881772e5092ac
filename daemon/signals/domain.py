"""The field of knowledge that a request is from: one of MMLU-Pro's fourteen."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Domain, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts

HEAD: Final = "domain"
FALLBACK: Final = "other"
NEEDED: Final = 1 / 3
"""What is right less often than one time in three is nothing to route by."""


def chosen(chances: dict[str, float]) -> tuple[str, float]:
    """The field of a text, and how sure; `other` where none is both probable enough and more probable than `other`.

    Upstream asks for 0.5, since its classifier's numbers are no probabilities. Ours are, and `other` has one of its own: of
    29 held-out texts whose best field had less than 0.5, that field was right for 8 and `other` for 1.
    """
    best = max(chances, key=lambda field: chances[field])
    if chances[best] >= NEEDED and chances[best] > chances.get(FALLBACK, 0.0):
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
        chances = self._heads.whole(HEAD, asked.words, asked.in_time)
        field, sure = chosen(chances)
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

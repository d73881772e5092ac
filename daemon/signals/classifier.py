"""Classifiers of the user's own, by their labels."""

from __future__ import annotations

from time import perf_counter

from daemon.recipes.signals import Classifier, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts


class Classifiers:
    """The signal: the rule with its most probable label, and every label's score for conditions that test it."""

    signal = "classifier"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.classifiers
        self._parts = parts
        self.lane: Lane = "models" if rules.classifiers else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule and label."""
        if not asked.words.strip():
            return []
        return [seen for rule in self._rules for seen in self._look(rule, asked)]

    def _look(self, rule: Classifier, asked: Asked) -> list[Observation]:
        began = perf_counter()
        try:
            chances = self._chances(rule, asked.words)
        except Unread as why:
            return [unreadable(self, rule.name, why.code)]
        best = max(chances, key=lambda label: chances[label])
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                label=label,
                score=score,
                matched=label == best,
                took_ms=took_ms,
                scanned=len(asked.words),
            )
            for label, score in chances.items()
        ]

    def _chances(self, rule: Classifier, text: str) -> dict[str, float]:
        if rule.type != "local" or not rule.model_path:
            raise Unread("NotHere")
        chances = self._parts.classifiers.chances(rule.model_path, text)
        if set(chances) != set(rule.labels):
            raise Unread("OtherLabels")
        return chances

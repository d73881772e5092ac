"""The language of what the user said last."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Language, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.identifier import MOST_CHARS, Identifier
from daemon.signals.parts import Parts

THRESHOLD: Final = 0.3
"""Upstream's, where a rule has none."""


class Languages:
    """The signal. Its value is how sure, of the language that a rule is called like."""

    signal = "language"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.language
        self._identifier = Identifier()
        self.lane: Lane = "models" if rules.language else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation if a rule has the language's code."""
        if not self._rules or not asked.words.strip():
            return []
        began = perf_counter()
        told = self._identifier.tell(asked.words)
        if told is None:
            return []
        code, sure = told
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                score=sure,
                value=sure,
                matched=sure >= _needed(rule),
                took_ms=took_ms,
                scanned=min(len(asked.words), MOST_CHARS),
            )
            for rule in self._rules
            if rule.name.lower() == code
        ]


def _needed(rule: Language) -> float:
    return rule.threshold or THRESHOLD  # 0 means unset to upstream

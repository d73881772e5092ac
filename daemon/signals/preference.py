"""Which of a recipe's preferences a request is nearest to."""

from __future__ import annotations

from time import perf_counter

from daemon.recipes.signals import Preference, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts


class Preferences:
    """The signal. Of all rules the best may match, if it reaches its threshold; without one it does, as upstream has it."""

    signal = "preference"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = tuple((rule, examples) for rule in rules.preferences if (examples := _examples(rule)))
        self._scales = parts.scales
        self.lane: Lane = "models" if rules.preferences else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule."""
        if not self._rules or not asked.words.strip():
            return []
        began = perf_counter()
        found = [self._scales.scored(asked.words, examples) for _, examples in self._rules]
        best = max(range(len(found)), key=lambda place: found[place].score)
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                score=min(1.0, max(0.0, scored.score)),
                value=scored.score,
                matched=place == best and scored.score >= (rule.threshold or -1.0),
                took_ms=took_ms,
                scanned=len(asked.words),
                held=scored.held(rule.threshold),
            )
            for place, ((rule, _), scored) in enumerate(zip(self._rules, found, strict=True))
        ]


def _examples(rule: Preference) -> tuple[str, ...]:
    return tuple(text for text in (*rule.examples, rule.description) if text.strip())

"""Harmful content, and of which kind: a gate by the head `harm`, and hazards by the head `safety`."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Safety, Signals
from daemon.signals.base import UNSCANNED, Asked, Kind, Lane, Observation, unreadable
from daemon.signals.forward import NO_HEAD
from daemon.signals.jailbreak import HARM, positive
from daemon.signals.parts import Parts

HAZARDS: Final = "safety"
THRESHOLD: Final = 0.5
"""Upstream's, for both."""


class Safeties:
    """The signal: a rule, and `RULE:HAZARD` for each of its categories over the threshold.

    Its value is the gate's probability. A hazard counts only beyond the gate, as upstream has it.
    """

    signal = "safety"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.safety
        self._heads = parts.heads
        self.lane: Lane = "models" if rules.safety else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule and hazard. Raises Unread."""
        if not self._rules or not asked.words.strip():
            return []
        began = perf_counter()
        gates = [name for name in (HARM, HAZARDS) if self._heads.has(name)]
        if not gates:
            self._heads.head(HARM)
        reading = self._heads.read(asked.words, asked.in_time)
        gate = positive(reading.of(gates[0]))
        hazards = reading.of(HAZARDS)
        took_ms = (perf_counter() - began) * 1000
        seen: list[Observation] = []
        for rule in self._rules:
            found = self._rule(rule, gate, hazards, took_ms, len(asked.words))
            if not reading.whole and not any(each.matched for each in found):
                found = [unreadable(self, rule.name, UNSCANNED)]
            seen += found
        return seen

    def _rule(
        self, rule: Safety, gate: float, hazards: dict[str, float], took_ms: float, scanned: int
    ) -> list[Observation]:
        unsafe = gate >= (THRESHOLD if rule.threshold is None else rule.threshold)
        scores: dict[str | None, float] = {None: gate}
        if rule.hazard:
            if not hazards.keys() & set(rule.hazard.categories):
                return [unreadable(self, rule.name, NO_HEAD)]
            scores = {category: hazards.get(category, 0.0) for category in rule.hazard.categories}
        least = (rule.hazard.threshold if rule.hazard else None) or THRESHOLD
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                label=category,
                score=score,
                value=gate,
                matched=unsafe and (category is None or score >= least),
                took_ms=took_ms,
                scanned=scanned,
            )
            for category, score in scores.items()
        ]

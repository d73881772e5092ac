"""Whether an answer should be checked against facts."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, measured
from daemon.signals.forward import Reading
from daemon.signals.parts import Parts

HEAD: Final = "fact_check"
NEEDED: Final = "needs_fact_check"
NOT_NEEDED: Final = "no_fact_check_needed"
_YES: Final = frozenset({"needed", "needs", "yes", NEEDED})
"""How a head may call it."""


def needs(parts: Parts, asked: Asked) -> tuple[float, float, Reading]:
    """How probably it does, from when on that is said, and what read it. Raises Unread."""
    reading = parts.heads.whole_reading(HEAD, asked.words, asked.in_time)
    chance = sum(score for label, score in reading.scores.get(HEAD, ()) if label in _YES)
    return chance, parts.heads.head(HEAD, reading).threshold, reading


class FactChecks:
    """The signal: one of its two names matches always."""

    signal = "fact_check"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._names = {rule.name for rule in rules.fact_check}
        self._parts = parts
        self.lane: Lane = "models" if self._names else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that is called like one of them. Raises Unread."""
        if not self._names or not asked.words.strip():
            return []
        began = perf_counter()
        chance, threshold, _ = needs(self._parts, asked)
        needed = chance >= threshold
        kinds = ((NEEDED, chance, needed), (NOT_NEEDED, 1 - chance, not needed))
        wanted = (kind for kind in kinds if kind[0] in self._names)
        return measured(self, asked, began, wanted, validated=self._parts.heads.validated(HEAD))

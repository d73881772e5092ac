"""Harmful content, and of which kind: a gate by the head `harm`, and hazards by the head `safety`, or else by examples.

As upstream has it, hazards are looked for beyond the gate, each by itself, and any of a rule's categories is enough. By
examples (`daemon.signals.hazards`) they are not validated.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from msgspec import Struct

from daemon.recipes.signals import Hazard, Safety, Signals
from daemon.signals.base import UNSCANNED, Asked, Kind, Lane, Observation, unreadable
from daemon.signals.forward import NO_HEAD
from daemon.signals.hazards import hazards
from daemon.signals.jailbreak import HARM, positive
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts

HAZARDS: Final = "safety"
THRESHOLD: Final = 0.5
"""Upstream's, for both."""


class _Text(Struct, frozen=True):
    """What is known of a text. by: the head of the gate. gate: how sure it is that there is harm. hazards: of the head for
    them; None: there is none.
    """

    asked: Asked
    by: str
    gate: float
    hazards: dict[str, float] | None
    whole: bool


class Safeties:
    """The signal: a rule, and `RULE:HAZARD` for each of its categories over the threshold. Its value is the gate's."""

    signal = "safety"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.safety
        self._heads = parts.heads
        self._vectors = parts.vectors
        self.lane: Lane = "models" if rules.safety else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule and hazard. Raises Unread."""
        if not self._rules or not asked.words.strip():
            return []
        gates = [name for name in (HARM, HAZARDS) if self._heads.has(name)]
        if not gates:
            self._heads.head(HARM)
        reading = self._heads.read(asked.words, asked.in_time)
        known = reading.of(HAZARDS) if HAZARDS in gates else None
        text = _Text(asked, gates[0], positive(reading.of(gates[0])), known, reading.whole)
        return [seen for rule in self._rules for seen in self._look(rule, text)]

    def _look(self, rule: Safety, text: _Text) -> list[Observation]:
        began = perf_counter()
        unsafe = text.gate >= (THRESHOLD if rule.threshold is None else rule.threshold)
        scores: dict[str | None, float] = {None: text.gate}
        whole, least, unknown = text.whole, 0.0, False
        if rule.hazard and (unsafe or text.hazards is not None):
            try:
                found, read = self._hazards(rule.hazard, text)
            except Unread as why:
                return [unreadable(self, rule.name, why.code)]
            scores, whole = {kind: found[kind] for kind in found}, whole and read
            least = THRESHOLD if rule.hazard.threshold is None else rule.hazard.threshold
            unknown = unsafe and len(found) < len(rule.hazard.categories)
        matched = {label for label, score in scores.items() if unsafe and score >= least}
        if not matched and not whole:
            return [unreadable(self, rule.name, UNSCANNED)]
        took_ms = (perf_counter() - began) * 1000
        seen = [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                label=label,
                score=score,
                value=text.gate,
                matched=label in matched,
                took_ms=took_ms,
                scanned=len(text.asked.words),
                validated=all(map(self._heads.validated, (text.by,) if label is None else (text.by, HAZARDS))),
            )
            for label, score in scores.items()
        ]
        return [*seen, unreadable(self, rule.name, NO_HEAD)] if unknown and not matched else seen

    def _hazards(self, hazard: Hazard, text: _Text) -> tuple[dict[str, float], bool]:
        """Of the categories that are known, how sure each is, and whether all was read for it. Raises Unread."""
        if text.hazards is None:
            return hazards(self._vectors, text.asked.words, hazard.categories, text.asked.in_time)
        return {kind: text.hazards[kind] for kind in hazard.categories if kind in text.hazards}, True

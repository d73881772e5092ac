"""How hard a request is.

By a rule's examples, as upstream has it: the margin is the likeness to hard ones less that to easy ones; over the threshold
it is hard, under its negative easy, else medium. A rule whose ends have no examples is answered by the trained head, whose
margin is P(hard) - P(easy).

Words in pictures are read as the question's own; beyond that, a margin is moved towards hard by how much there is to see
(`to_see`). A request without pictures has the margin of its words.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Complexity, Signals
from daemon.signals.base import Asked, Held, Kind, Lane, Observation, unreadable
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from daemon.signals.to_see import harder, to_see

HEAD: Final = "complexity"


class Complexities:
    """The signal: `RULE:easy`, `RULE:medium` or `RULE:hard`. Its value is the margin, its score the margin's size."""

    signal = "complexity"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.complexity
        self._parts = parts
        self.lane: Lane = "models" if rules.complexity else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule."""
        if not self._rules or not asked.words.strip():
            return []
        return [self._look(rule, asked) for rule in self._rules]

    def _look(self, rule: Complexity, asked: Asked) -> Observation:
        began = perf_counter()
        try:
            margin, held = self._margin(rule, asked)
            margin = harder(margin, to_see(asked))
        except Unread as why:
            return unreadable(self, rule.name, why.code)
        level = "hard" if margin > rule.threshold else "easy" if margin < -rule.threshold else "medium"
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            label=level,
            score=min(1.0, abs(margin)),
            value=margin,
            took_ms=(perf_counter() - began) * 1000,
            scanned=len(asked.words),
            validated=_by_examples(rule) or self._parts.heads.validated(HEAD),
            held=held,
        )

    def _margin(self, rule: Complexity, asked: Asked) -> tuple[float, Held | None]:
        if _by_examples(rule):
            scales = self._parts.scales
            hard, easy = (scales.scored(asked.words, end.candidates) for end in (rule.hard, rule.easy))
            mapped = hard.edge is not None
            return hard.score - easy.score, Held(hard.likeness - easy.likeness, rule.threshold) if mapped else None
        chances = self._parts.heads.whole(HEAD, asked.words, asked.in_time)
        return chances.get("hard", 0.0) - chances.get("easy", 0.0), None


def _by_examples(rule: Complexity) -> bool:
    return bool(rule.hard.candidates and rule.easy.candidates)

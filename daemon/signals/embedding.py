"""Likeness of what the user said last to a rule's examples.

A score at or over a rule's threshold is a match. Where no rule gets that far, the best of them matches softly from
`Scales.softly` on, as upstream has it; but of several hard matches upstream tells one (`top_k` 1), which hides the
others from conditions that ask for them: here all of them are told.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from msgspec.structs import replace

from daemon.recipes.signals import Embedding, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.parts import Parts
from daemon.signals.vectors import UPSTREAMS, Scoring

_ALL: Final = 1_000_000
_MEAN: Final = Scoring(weight=0.0, top=_ALL)
"""The mean over all representatives (`aggregation_method: mean`); upstream's `max` and `any` change nothing."""


class Likeness:
    """The signal. Its value is the likeness, matched or not."""

    signal = "embedding"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.embeddings
        self._scales = parts.scales
        self.lane: Lane = "models" if rules.embeddings else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule."""
        if not self._rules or not asked.words.strip():
            return []
        seen = [self._look(rule, asked) for rule in self._rules]
        if not any(each.matched and each.error is None for each in seen):
            best = max(range(len(seen)), key=lambda place: seen[place].value or 0.0)
            if seen[best].error is None and self._is_soft(self._rules[best], seen[best].value or 0.0, asked):
                seen[best] = replace(seen[best], matched=True)
        return seen

    def _is_soft(self, rule: Embedding, score: float, asked: Asked) -> bool:
        softly = self._scales.softly(asked.words, rule.candidates, _scoring(rule), len(self._rules))
        return softly is not None and score >= softly

    def _look(self, rule: Embedding, asked: Asked) -> Observation:
        if rule.query_modality in ("image", "audio"):
            return unreadable(self, rule.name, "NotText")
        began = perf_counter()
        scored = self._scales.scored(asked.words, rule.candidates, _scoring(rule))
        score = scored.score
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            score=min(1.0, max(0.0, score)),
            value=score,
            matched=score >= rule.threshold,
            took_ms=(perf_counter() - began) * 1000,
            scanned=len(asked.words),
            held=scored.held(rule.threshold),
        )


def _scoring(rule: Embedding) -> Scoring:
    return _MEAN if rule.aggregation_method == "mean" else UPSTREAMS

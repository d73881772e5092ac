"""Whether the user asks the same again, because the answer did not help."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Reask, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts
from daemon.signals.scales import Scored

THRESHOLD: Final = 0.8
LOOKBACK: Final = 1


class Reasks:
    """The signal. A rule matches if so many turns before the last are all like it; of several the longest look back counts.

    Its score is the least of their likenesses.
    """

    signal = "reask"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.reasks
        self._scales = parts.scales
        self.lane: Lane = "models" if rules.reasks else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that matches."""
        if not self._rules or len(asked.turns) < 2 or not asked.words.strip():
            return []
        began = perf_counter()
        likenesses = self._likenesses(asked)
        matches = [
            (rule, min(likenesses[: _lookback(rule)], key=lambda each: each.score))
            for rule in self._rules
            if len(likenesses) >= _lookback(rule)
            and all(likeness.score >= _threshold(rule) for likeness in likenesses[: _lookback(rule)])
        ]
        longest = max((_lookback(rule) for rule, _ in matches), default=0)
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                score=min(1.0, least.score),
                value=least.score,
                took_ms=took_ms,
                scanned=sum(map(len, asked.turns)),
                held=least.held(_threshold(rule)),
            )
            for rule, least in matches
            if _lookback(rule) == longest
        ]

    def _likenesses(self, asked: Asked) -> list[Scored]:
        """Of the turns before the last, the nearest first, up to the first that is like it for no rule."""
        least = min(map(_threshold, self._rules))
        found: list[Scored] = []
        for turn in reversed(asked.turns[:-1]):
            found.append(self._scales.alike(asked.turns[-1], turn))
            if found[-1].score < least or len(found) >= max(map(_lookback, self._rules)):
                break
        return found


def _threshold(rule: Reask) -> float:
    return rule.threshold or THRESHOLD  # 0 means unset to upstream


def _lookback(rule: Reask) -> int:
    return rule.lookback_turns or LOOKBACK

"""What kind of work is asked for: multiple choice, short answer, code, maths, writing, a tool call, extraction, chat."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, measured
from daemon.signals.parts import Parts

HEAD: Final = "task_shape"


class TaskShapes:
    """The signal: the most probable kind, if it is sure enough. A rule is called like a kind."""

    signal = "task_shape"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.task_shape
        self._heads = parts.heads
        self.lane: Lane = "models" if rules.task_shape else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule. Raises Unread."""
        if not self._rules or not asked.words.strip():
            return []
        began = perf_counter()
        reading = self._heads.whole_reading(HEAD, asked.words, asked.in_time)
        threshold, chances = self._heads.head(HEAD, reading).threshold, reading.of(HEAD)
        best = max(chances, key=lambda kind: chances[kind])
        kinds = (
            (rule.name, chances[rule.name], rule.name == best and chances[best] >= (rule.threshold or threshold))
            for rule in self._rules
            if rule.name in chances
        )
        return measured(self, asked, began, kinds, validated=self._heads.validated(HEAD))

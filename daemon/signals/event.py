"""Events that programs report in words: their types, severities, codes, and whether they press."""

from __future__ import annotations

import re
from typing import Final

from daemon.recipes.signals import Event, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.keywords.whole_words import places
from daemon.signals.overlaps import folded
from daemon.signals.parts import Parts

_SEVERITIES: Final = frozenset({"critical", "high", "medium", "low"})
"""Those that upstream knows; it drops others, and then they are no criterion."""
_PRESSING: Final = re.compile(r"\b(?:urgent|immediate|asap|deadline|time.sensitive|now|critical.window)\b")


class Events:
    """The signal. A rule matches if one of its criteria does; its score is 0.5 + 0.5 · met / given."""

    signal = "event"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = tuple((rule.name, rule.temporal, _criteria(rule)) for rule in rules.events)

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that matches."""
        seen = []
        text = folded(asked.words) if self._rules else ""
        for name, temporal, criteria in self._rules:
            met = [any(any(True for _ in places(text, word)) for word in words) for words in criteria]
            if temporal:
                met.append(_PRESSING.search(text) is not None)
            if any(met):
                score = 0.5 + 0.5 * sum(met) / len(met)
                seen.append(
                    Observation(
                        signal=self.signal,
                        kind=self.kind,
                        name=name,
                        score=score,
                        value=float(sum(met)),
                        scanned=len(text),
                    )
                )
        return seen


def _criteria(rule: Event) -> list[tuple[str, ...]]:
    """Words of which one has to be there, for each criterion that the rule gives."""
    severities = tuple(word for word in map(_plain, rule.severities) if word in _SEVERITIES)
    given = (tuple(map(_plain, rule.event_types)), severities, tuple(map(_plain, rule.action_codes)))
    return [tuple(word for word in words if word) for words in given if any(words)]


def _plain(word: str) -> str:
    return folded(word.strip())

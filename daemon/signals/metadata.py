"""Hints that a caller puts into `metadata` of its request. Nobody vouches for them."""

from __future__ import annotations

from typing import Final

from daemon.recipes.signals import MetadataTest, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts

_MOST_ENTRIES: Final = 32
_KEY_BYTES: Final = 128
_VALUE_BYTES: Final = 1024
"""Upstream's bounds. What is beyond them is no hint."""


class Hints:
    """The signal."""

    signal = "metadata"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.metadata

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that matches."""
        hints = _hints(asked.request.extras.get("metadata")) if self._rules else {}
        return [
            Observation(signal=self.signal, kind=self.kind, name=rule.name)
            for rule in self._rules
            if _passes(rule.predicate, hints.get(rule.key))
        ]


def _hints(given: object) -> dict[str, str]:
    if not isinstance(given, dict) or len(given) > _MOST_ENTRIES:
        return {}
    return {
        key: value
        for key, value in given.items()
        if isinstance(key, str) and isinstance(value, str) and _fits(key, _KEY_BYTES) and _fits(value, _VALUE_BYTES)
    }


def _fits(text: str, most: int) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) <= most


def _passes(test: MetadataTest, value: str | None) -> bool:
    """All that is given has to hold; a test that gives nothing asks whether the hint is there."""
    if test.exists is False:
        return value is None
    if value is None:
        return False
    return (test.equals is None or value == test.equals) and (not test.one_of or value in test.one_of)

"""What a recipe's conditions can ask about a request: which rules matched, how sure, and who never looked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.signals.base import Kind, Observation

TRUE: Final = 1
UNKNOWN: Final = 0
FALSE: Final = -1
"""Truth with a middle (Kleene's strong logic): AND is the least of them, OR the greatest, NOT the negative."""

MEASURED: Final = frozenset(
    {
        "embedding",
        "domain",
        "fact_check",
        "user_feedback",
        "reask",
        "preference",
        "language",
        "complexity",
        "modality",
        "jailbreak",
        "kb",
        "classifier",
        "safety",
        "decision",
        "task_shape",
        "projection",
    }
)
"""Signals whose score says how sure a model is. The others follow a policy: a keyword is there or it isn't, and a score of
1.0 for it would win over every measurement (a fault of upstream's, whose conversation signal writes just that). `image` is
among those: a rule about a picture's size and one about its kind are on no common scale."""


_COUNTS: Final = {"match": TRUE, "no_match": FALSE, "unknown": UNKNOWN}


class Seen:
    """Observations, ready to be asked. looked: the signals that looked; nothing is known of the others' rules."""

    __slots__ = ("_broken", "_found", "_labels", "_looked", "_values", "broken_rules")

    def __init__(self, observations: Iterable[Observation], looked: frozenset[str]) -> None:
        self._found: dict[tuple[str, str], float] = {}
        self._labels: dict[tuple[str, str, str], float] = {}
        self._values: dict[tuple[str, str], float] = {}
        self._broken: dict[str, int] = {}
        self.broken_rules: dict[tuple[str, str], int] = {}
        self._looked = looked
        for seen in observations:
            if seen.error is None:
                self._add(seen)
            elif seen.only:
                self.broken_rules[seen.signal, seen.name] = _counted(seen)
            else:
                self._broken[seen.signal] = _counted(seen)

    def _add(self, seen: Observation) -> None:
        names = [seen.name]
        if seen.label is not None:
            names.append(f"{seen.name}:{seen.label}")
            self._labels[seen.signal, seen.name, seen.label] = seen.score
        for name in names:
            key = (seen.signal, name)
            if seen.matched:
                self._found[key] = max(seen.score, self._found.get(key, 0.0))
            if seen.value is not None:
                self._values[key] = seen.value

    def truth(self, type: str, name: str) -> int:
        """Whether a rule matched. name: a rule's, or `rule:label`."""
        if (type, name) in self._found:
            return TRUE
        return self._of_rule(type, name)

    def _of_rule(self, type: str, name: str) -> int:
        """What holds of a rule that didn't match."""
        if self.broken_rules:
            for key in ((type, name), (type, name.partition(":")[0])):
                if key in self.broken_rules:
                    return self.broken_rules[key]
        return self.of_family(type)

    def of_family(self, type: str) -> int:
        """What holds of those of a family's rules that didn't match."""
        if type in self._broken:
            return self._broken[type]
        return FALSE if type in self._looked else UNKNOWN

    def matched(self) -> Iterable[tuple[tuple[str, str], float]]:
        """The rules that matched, and how sure each is."""
        return self._found.items()

    def confidence(self, type: str, name: str) -> float:
        """How sure it is of a match; upstream's 1.0 where nobody says."""
        return self._found.get((type, name), 1.0)

    def value(self, type: str, name: str) -> float | None:
        """The number that it measured; None if nobody looked, 0 if it found nothing to measure."""
        if (type, name) in self._values:
            return self._values[type, name]
        return 0.0 if self._looked_for(type, name) else None

    def label_score(self, type: str, name: str, label: str) -> float | None:
        """What a label got. One that isn't named got nothing; None if nobody looked."""
        if (type, name, label) in self._labels:
            return self._labels[type, name, label]
        return 0.0 if self._looked_for(type, name) else None

    def _looked_for(self, type: str, name: str) -> bool:
        return type in self._looked and type not in self._broken and (type, name) not in self.broken_rules


def _counted(seen: Observation) -> int:
    """Unless it says otherwise, a privacy signal that broke counts as a find, another as nobody having looked."""
    if seen.counts is not None:
        return _COUNTS[seen.counts]
    return TRUE if seen.kind is Kind.PRIVACY else UNKNOWN

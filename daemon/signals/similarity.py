"""How much two answers in prose say the same, by the user's model for entailment, else by their words.

A number that was learned by one of them means nothing by the other, so each has a name (`by`), and what was measured by one
counts only where that one is asked.
"""

from __future__ import annotations

from typing import Final

from daemon.confidence.prose import likeness
from daemon.signals.entailment import Entailment

ENTAILS: Final = 0.5
"""The probability from which one answer entails another."""
BY_WORDS: Final = "words-1"
"""Raise the number when likeness by words changes its meaning."""


class Similarity:
    """The service. Blocks where it is asked. The model belongs to whoever made it."""

    def __init__(self, entailment: Entailment) -> None:
        self._entailment = entailment
        self.by = entailment.key if entailment.chosen else BY_WORDS
        """Who tells; empty: nobody can."""

    def of(self, one: str, other: str, question: frozenset[str]) -> float:
        """In [0, 1], the same both ways, 1 for equal ones. question: words of what was asked, small. Raises an EngineError.

        By entailment it is 1 or 0: whether each entails the other.
        """
        if not self._entailment.chosen or one == other:
            return likeness(one, other, question)
        return float(self._entails(one, other) and self._entails(other, one))

    def _entails(self, premise: str, hypothesis: str) -> bool:
        return self._entailment.judge(premise, hypothesis).get("entailment", 0.0) >= ENTAILS

"""Typed questions about a text, answered by likeness: a choice, yes or no, a level, a set of labels.

There is no decision model here. Each option's words are held against the text by the shipped encoder's vectors, and the
likenesses become probabilities by a softmax that nobody calibrated: an answer orders options, more or less, and is weak
where options differ by a `not`. `Answer` has System One's numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from daemon.signals.contrast import SHARPNESS, shares
from daemon.signals.opening import Unread
from daemon.signals.vectors import Vectors

MODEL: Final = "nearloop/decisions"
"""What clients call it."""
NOT_HERE: Final = "NotHere"
NEAR: Final = 0.35
"""The likeness that is neither yes nor no: MiniLM's are 0 to 0.2 of texts about other things, 0.4 and up about the same."""


class Answer(Struct, frozen=True):
    """value: P(yes), P(chosen), the expected level, or the highest P of a set. chances: of each option or level."""

    value: float
    chances: dict[str, float]
    chosen: str | None = None
    confidence: float = 0.0


def choose(vectors: Vectors, text: str, instructions: str, options: Mapping[str, str]) -> Answer:
    """One of several; options: from a key to its description. Raises Unread."""
    chances = shares({key: vectors.likeness(text, _worded(key, words)) for key, words in options.items()})
    chosen = max(chances, key=lambda key: chances[key])
    ordered = sorted(chances.values(), reverse=True)
    margin = ordered[0] - ordered[1] if len(ordered) > 1 else 1.0
    return Answer(chances[chosen], chances, chosen, margin)


def affirm(vectors: Vectors, text: str, instructions: str, yes: str = "", no: str = "") -> Answer:
    """Yes or no: nearer to the words for yes than to those for no, or, without these, near enough. Raises Unread."""
    if no:
        chances = shares({"true": vectors.likeness(text, yes or instructions), "false": vectors.likeness(text, no)})
        return Answer(chances["true"], chances)
    likeness = vectors.likeness(text, yes or instructions)
    chance = 1 / (1 + math.exp(-SHARPNESS * (likeness - NEAR)))
    return Answer(chance, {"true": chance, "false": 1 - chance})


def rate(vectors: Vectors, text: str, instructions: str, levels: tuple[str, ...]) -> Answer:
    """A level, counted from 0. Its confidence is 1 less the variance over the widest there could be. Raises Unread."""
    chances = shares({str(n): vectors.likeness(text, f"{instructions} {level}") for n, level in enumerate(levels)})
    expected = math.fsum(int(level) * chance for level, chance in chances.items())
    variance = math.fsum(chance * (int(level) - expected) ** 2 for level, chance in chances.items())
    widest = ((len(levels) - 1) / 2) ** 2
    return Answer(expected, chances, None, max(0.0, 1 - variance / widest) if widest else 1.0)


def which(vectors: Vectors, text: str, instructions: str, labels: Mapping[str, str]) -> Answer:
    """Which of several hold, each by itself. Raises Unread."""
    chances = {key: affirm(vectors, text, instructions, _worded(key, words)).value for key, words in labels.items()}
    return Answer(max(chances.values()), chances)


def not_here() -> Unread:
    """For questions that nothing here can answer."""
    return Unread(NOT_HERE)


def _worded(key: str, description: str) -> str:
    return description.strip() or key.replace("_", " ")

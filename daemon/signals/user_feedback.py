"""What a follow-up says of the answer before it.

No set of such turns was there to train on: kinds are told apart by examples of our own, and the answer is not validated. If
the shipped heads have one for it, that one answers.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, measured
from daemon.signals.contrast import contrast
from daemon.signals.parts import Parts

HEAD: Final = "user_feedback"
THRESHOLD: Final = 0.5
"""Upstream's 0.7 is its classifier's, whose probabilities mean something else."""
NONE: Final = "NO_FEEDBACK"
EXAMPLES: Final = {
    "satisfied": (
        "Thanks, that worked!",
        "Perfect, exactly what I needed.",
        "Great answer, thank you so much.",
        "That solved my problem.",
        "Awesome, this is very helpful.",
    ),
    "need_clarification": (
        "I don't understand, can you explain that again?",
        "What do you mean by that?",
        "Could you clarify the second step?",
        "Can you explain it in more detail, please?",
        "I'm confused, what does this term mean?",
    ),
    "wrong_answer": (
        "That's wrong.",
        "No, this is incorrect, please check again.",
        "Your answer is not right.",
        "You made a mistake in the calculation.",
        "This doesn't work, it still gives the same error.",
    ),
    "want_different": (
        "Show me another way to do it.",
        "Can you give me a different option?",
        "I don't like this one, try something else.",
        "Give me an alternative, please.",
        "Rewrite it in a different style.",
    ),
    NONE: (
        "Write a Python function that reverses a list.",
        "What is the capital of France?",
        "Now add a test for the second function.",
        "Translate the paragraph into German.",
        "How much does the premium plan cost?",
        "Summarise the following article.",
        "And what about the population of that city?",
    ),
}


def feedback(parts: Parts, asked: Asked) -> dict[str, float]:
    """Each kind's share. Raises Unread."""
    if parts.heads.has(HEAD):
        return parts.heads.whole(HEAD, asked.words, asked.in_time)
    return contrast(parts.vectors, asked.words, EXAMPLES)


class UserFeedback:
    """The signal. A rule is called like what it is about. As upstream's, it takes a first turn for a follow-up as well: a
    client may send no more than the last turn.
    """

    signal = "user_feedback"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._names = {rule.name for rule in rules.user_feedbacks}
        self._parts = parts
        self.lane: Lane = "models" if self._names else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that is about a known kind."""
        if not self._names or not asked.words.strip():
            return []
        began = perf_counter()
        found = feedback(self._parts, asked)
        best = max(found, key=lambda kind: found[kind])
        kinds = (
            (kind, score, kind == best and score >= THRESHOLD) for kind, score in found.items() if kind in self._names
        )
        return measured(self, asked, began, kinds, validated=self._parts.heads.validated(HEAD))

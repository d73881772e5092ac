"""Whether a follow-up rejects the answer before it, by the signal `user_feedback`.

The shipped head answers if there is one that was measured. Else the signal goes by examples: at SURE it took none of 25
ordinary follow-ups of ours for a rejection and found 11 of 20; of others, on which SURE was not chosen, 1 of 30 and 10 of 20
(test_corrections.py). No model is opened for it: a label this weak isn't worth 150 MB.
"""

from __future__ import annotations

from typing import Final

from daemon.signals.contrast import contrast
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from daemon.signals.user_feedback import EXAMPLES, HEAD, THRESHOLD

REJECTS: Final = "wrong_answer"
SURE: Final = 0.7
"""Of the shares that examples give."""
LONGEST_CHARS: Final = 400
"""Whoever writes more says something new, whatever else."""


class Corrections:
    """parts: the signals' models, of which those are asked that are open."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def reject(self, words: str) -> bool:
        """Whether these words do. Blocks."""
        if not words.strip() or len(words) > LONGEST_CHARS:
            return False
        heads, vectors = self._parts.heads, self._parts.vectors
        try:
            if heads.is_open and heads.validated(HEAD):
                return heads.whole(HEAD, words, lambda: True)[REJECTS] >= THRESHOLD
            return vectors.is_open and contrast(vectors, words, EXAMPLES)[REJECTS] >= SURE
        except Unread:
            return False

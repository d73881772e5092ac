"""Whether an answer that was begun on the word of its beginning turned out otherwise.

What is streamed can't be taken back, so a draft is judged by its first tokens. Once the whole of it is there it is judged
again, and if it fell far below what it needed, or can't be what it has to be, that is a collapse: the next turn is better
begun elsewhere.
"""

from __future__ import annotations

from typing import Final, Literal

from daemon.confidence.calibration import log_odds
from daemon.confidence.judgement import Judgement

Collapse = Literal["fell", "unusable", "repetitive"]
FALL: Final = 1.0
"""In log-odds below what was needed: where 0.8 was needed, 0.6. Chosen, not measured; a little below is what chance brings
about where many answers score near the threshold."""
REPETITIVE: Final = 0.6
"""Share of runs of words that came before; prose has under 0.1, tables and code some tenths, a loop comes to 1."""
LONG_ENOUGH: Final = 64
"""Tokens from which repetition means something."""


def collapse(begun: Judgement, whole: Judgement) -> Collapse | None:
    """How an answer turned out that was let begin by one judgement and has another now; None: as was thought.

    An answer that was cut is not held to be whole JSON or code.
    """
    seen, needed = whole.seen, begun.required
    if seen is None or begun.seen is None:
        return None  # it was asked about, and not measured
    if seen.valid is False and seen.ended and begun.seen.valid is not False:
        return "unusable"
    if seen.tokens >= LONG_ENOUGH and seen.repetition >= REPETITIVE > begun.seen.repetition:
        return "repetitive"
    return "fell" if log_odds(whole.score) <= log_odds(needed) - FALL else None

"""What a model says when it is asked whether its own answer is right, read from the context that it has of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

CHECKS: Final = ("\nIs this answer right? Yes", "\nIs this answer right? No")
"""Two ways to go on behind an answer. They differ in the last token."""


def sureness(scored: Sequence[Sequence[float]]) -> float | None:
    """The log-probability of "Yes" above that of "No". scored: of each of CHECKS, its tokens'. None if there are none."""
    yes, no = scored
    return yes[-1] - no[-1] if yes and no else None

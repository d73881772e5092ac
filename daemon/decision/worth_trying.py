"""Whether a local draft is worth trying: by what it would take until it could be judged, and until it would be over.

A draft that goes up in the end costs the client what it took until then: its place in the line, the reading of the prompt,
and what is held back. The rest of its answer is never written. So a client that reads along waits for that alone; for one
that reads nothing before the end it is the whole answer that counts.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from daemon.confidence.recovery import HOLD_S

SURELY: Final = 0.8
"""Of an estimated length, what a prompt comes to at least: 95 % of what was tried (`signals/context.py`)."""


class Trial(Struct, frozen=True):
    """What is known beforehand. prompt_tokens: as estimated. window: of the model, None before it was loaded once.

    queue_s: the line in front of it. first_word_s: the reading; answer_s: both reading and a whole answer. None: nobody
    measured it, and who never tries never learns.
    """

    prompt_tokens: float
    window: int | None = None
    queue_s: float = 0.0
    first_word_s: float | None = None
    answer_s: float | None = None

    @property
    def fits(self) -> bool:
        """Whether the prompt may fit the window."""
        return self.window is None or self.prompt_tokens * SURELY < self.window

    def slow(self, patience_s: float) -> bool:
        """Whether its whole answer is predicted to take longer."""
        return self.answer_s is not None and self.queue_s + self.answer_s > patience_s

    def late(self, head_start_s: float) -> bool:
        """Whether it is predicted to be judged later."""
        return self.queue_s + (self.first_word_s or 0.0) + HOLD_S > head_start_s

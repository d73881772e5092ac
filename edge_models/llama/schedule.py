"""Who reads and who writes in the next batch of the llama.cpp engine.

Everybody who writes gets a token in each step. The rest of the batch is for prompts: all of it while nobody writes,
else as many as are read in a tenth of a second, so that writers don't stall. Prompts share the places equally, so a short
one is not held up by a long one; what it leaves goes to the others. A prompt that begins as another one does waits until
that one has been read so far, and then shares it: eight agents with one system prompt have it read once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence as Several
from typing import Final

from msgspec import Struct

from edge_models.llama.requests import Request
from edge_models.llama.sequences import MIN_SHARED, Sequences, common_prefix

SHARED_STEP_S: Final = 0.1
"""How long a step may take while somebody writes: ten words a second still read as a stream."""
_LEAST: Final = 16  # prompts are read at 0.8 of their best speed so (SmolLM2, 2 cores), and much slower below
_WEIGHT: Final = 0.3  # of the newest measurement


class Share(Struct, frozen=True):
    """How many tokens of a request are in the next batch."""

    request: Request
    tokens: int


class Pace:
    """How fast prompts are read, as measured so far."""

    def __init__(self) -> None:
        self._tokens_per_s = 0.0
        self._began = 0.0

    def begin(self) -> None:
        """A batch begins."""
        self._began = time.perf_counter()

    def end(self, tokens: int) -> None:
        """It is over, and had so many tokens."""
        rate = tokens / max(time.perf_counter() - self._began, 1e-6)
        self._tokens_per_s += (_WEIGHT if self._tokens_per_s else 1.0) * (rate - self._tokens_per_s)

    @property
    def shared_tokens(self) -> int:
        """What is read within SHARED_STEP_S."""
        return max(_LEAST, int(self._tokens_per_s * SHARED_STEP_S))


def shares(running: Several[Request], sequences: Sequences, pace: Pace, batch_tokens: int) -> list[Share]:
    """The next batch. Requests without a sequence get one, unless they wait for another's prefix."""
    readers: list[Request] = []
    for request in running:
        if request.sequence is None:
            if _follows(request, readers, sequences):
                continue
            request.sequence = sequences.claim(request.shareable)
        if request.unread > 1:
            readers.append(request)
    writers = [each for each in running if each.sequence and each.unread == 1]
    places = min(pace.shared_tokens if writers else batch_tokens, batch_tokens - len(writers))
    batch = [Share(request, 1) for request in writers]
    for number, request in enumerate(sorted(readers, key=lambda each: each.unread)):
        tokens = min(request.unread, max(1, places // (len(readers) - number)))
        if tokens <= places:
            batch.append(Share(request, tokens))
            places -= tokens
    return batch


def _follows(request: Request, readers: Several[Request], sequences: Sequences) -> bool:
    """Whether somebody is about to read more of this prompt's beginning than the cache holds."""
    return bool(readers) and (
        max(common_prefix(request.shareable, each.tokens) for each in readers)
        >= sequences.shared(request.shareable) + MIN_SHARED
    )

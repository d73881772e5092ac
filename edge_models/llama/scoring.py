"""How likely continuations are, on a copy of what a request has in the cache."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edge_models.llama.context import OUTPUTS, Context, Feed, Outcome
from edge_models.llama.sequences import Sequence, Sequences
from edge_models.sampling import Logits, logprobs


class Scoring:
    """make_room: frees cells after a decode that found none, or raises Broken."""

    def __init__(self, context: Context, sequences: Sequences, make_room: Callable[[int], None]) -> None:
        self._context = context
        self._sequences = sequences
        self._make_room = make_room

    def score(self, tokens: list[int], continuations: list[list[int]]) -> tuple[tuple[float, ...], ...]:
        """tokens: what stands before, of which what is no longer cached is read again."""
        scratch = self._sequences.claim(tokens)
        try:
            row = self._read(scratch, tokens[len(scratch.tokens) :], outputs=1)
            before = self._context.logits(row).copy()
            scores = []
            for following in continuations:
                first = (_logprob(before, following[0]),) if following else ()
                scores.append(first + self._rest(scratch, tokens, following))
            return tuple(scores)
        finally:
            self._sequences.release(scratch)

    def _rest(self, scratch: Sequence, tokens: list[int], following: list[int]) -> tuple[float, ...]:
        """Of all but the first token; `scratch` ends where it began, where the model can forget a part."""
        told: list[float] = []
        if len(following) > 1:
            self._read(scratch, tokens[len(scratch.tokens) :], outputs=1)
            for start in range(0, len(following) - 1, OUTPUTS):
                part = following[start : min(start + OUTPUTS, len(following) - 1)]
                self._read(scratch, part, outputs=len(part))
                rows = range(len(part))
                told += [_logprob(self._context.logits(row), following[start + row + 1]) for row in rows]
            self._sequences.cut(scratch, len(tokens))
        return tuple(told)

    def _read(self, sequence: Sequence, tokens: list[int], outputs: int) -> int:
        """Add tokens to a sequence, at most a batch if there are several outputs. Returns the last one's row."""
        row = -1
        for start in range(0, len(tokens), self._context.batch_tokens):
            part = tokens[start : start + self._context.batch_tokens]
            feed = Feed(sequence.number, len(sequence.tokens), part, min(outputs, len(part)))
            while (outcome := self._context.decode((feed,), None)) != Outcome.DONE:
                self._make_room(outcome)
            sequence.tokens += part
            row = len(part) - 1
        return row


def _logprob(logits: Logits, token: int) -> float:
    return logprobs(logits[None, :], np.array([token]))[0]

"""Sequences that nobody uses at the moment, for prompts that begin like what they have read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from edge_models.decoder import Decoder, TokenSequence

_LEAST_TOKENS: Final = 8
"""Shorter beginnings are read again: they cost no more than one step, and many prompts share a template's first words."""


class IdleSequences:
    """The most recently used last. most: how many are kept; most_cells: how much all of them may hold together."""

    def __init__(self, decoder: Decoder, most: int, most_cells: int) -> None:
        self._decoder = decoder
        self._most = most
        self._most_cells = most_cells
        self._idle: list[TokenSequence] = []

    def take(self, prompt: Sequence[int]) -> TokenSequence:
        """A sequence that has read a beginning of `prompt`, at most all but its last token; maybe nothing."""
        best, length = None, _LEAST_TOKENS - 1
        for sequence in self._idle:
            common = min(_common(sequence.tokens, prompt), len(prompt) - 1)
            if common > length and self._serves(sequence, common):
                best, length = sequence, common
        if best is None:
            return TokenSequence(self._decoder)
        self._idle.remove(best)
        best.shorten(length)
        return best

    def put(self, sequence: TokenSequence) -> None:
        """Keep what a request leaves, and drop the oldest where it is too much."""
        if sequence.cells <= self._most_cells:
            self._idle.append(sequence)
        while len(self._idle) > self._most or sum(each.cells for each in self._idle) > self._most_cells:
            del self._idle[0]

    def close(self) -> None:
        """Let go of all, and of the model."""
        self._idle.clear()
        del self._decoder

    def _serves(self, sequence: TokenSequence, common: int) -> bool:
        """Hidden cells are looked at with each token: no more of them than of those that count."""
        return (self._decoder.hides or common == len(sequence.tokens)) and sequence.cells <= 2 * common


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many first elements are the same."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )

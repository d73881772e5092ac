"""A grammar that runs beside one answer and says which tokens may come next."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge_models.engines.base import BadSchema
from edge_models.llama.library import complaints
from edge_models.llama.vocabulary import Vocabulary
from edge_models.sampling import Logits

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # llama.h `llama_token_data`


class Constraint:
    """One grammar in llama.cpp's native matcher.

    A token that was chosen freely is tried alone, and the whole vocabulary is masked only where it doesn't fit: the tokens
    come out as likely as if all had been masked at first. One token takes 7 µs, a vocabulary of 49,152 some 5 ms (measured).
    The matcher ends the process when it is given a token that it doesn't allow, so `took` is for tokens that `allows` or
    `masked` let through.
    """

    def __init__(self, lib: Any, vocab: Any, vocabulary: Vocabulary, size: int, grammar: str) -> None:
        """grammar: GBNF with a rule `root`. Raises BadSchema."""
        self._lib = lib
        self._vocabulary = vocabulary
        self._one = np.zeros(1, _CANDIDATE)
        self._size = size
        with complaints():
            self._sampler = lib.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
        if not self._sampler:
            raise BadSchema("the schema leads in a circle or is too large for an answer to be held to: make it simpler")

    def allows(self, token: int) -> bool:
        """Whether it may come next."""
        if not self._vocabulary.piece(token) and not self._vocabulary.ends(token):
            return False  # a control token would pass as the text of its name, which nobody sees
        self._one["id"] = token
        self._one["logit"] = 0.0
        self._apply(self._one)
        return bool(self._one["logit"][0] == 0.0)

    def masked(self, logits: Logits) -> Logits:
        """The logits with minus infinity for what may not come next."""
        candidates = np.zeros(self._size, _CANDIDATE)
        candidates["id"] = np.arange(self._size)
        candidates["logit"] = logits
        self._apply(candidates)
        left: NDArray[np.float32] = candidates["logit"].copy()
        left[self._vocabulary.hidden()] = -np.inf
        return left

    def took(self, token: int) -> None:
        """A token that is allowed became part of the answer."""
        self._lib.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        """Give its memory back."""
        if self._sampler:
            self._lib.llama_sampler_free(self._sampler)
            self._sampler = None

    def _apply(self, candidates: NDArray[np.void]) -> None:
        data = ctypes.cast(candidates.ctypes.data, self._lib.llama_token_data_p)
        array = self._lib.llama_token_data_array(data, len(candidates), -1, False)
        self._lib.llama_sampler_apply(self._sampler, ctypes.byref(array))

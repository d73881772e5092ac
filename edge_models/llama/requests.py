"""One request of the llama.cpp engine: what it still has to read, and how it chooses what it writes."""

from __future__ import annotations

import numpy as np

from edge_models.engines.base import Broken, Done, Sampling, Token
from edge_models.llama.constraint import Constraint
from edge_models.llama.sequences import Sequence
from edge_models.llama.vocabulary import Vocabulary
from edge_models.sampling import Logits, Sampler, details


class Request:
    """In flight or kept. tokens: its prompt and what was written, all but an end of turn.

    sequence: where its tokens are in the cache, as far as they were read; None: it waits for its turn. shareable: the
    tokens for which others' readings may stand; none with a seed, since how a prompt is cut moves the last bits of a logit.
    """

    def __init__(
        self,
        id: int,
        tokens: list[int],
        limit: int,
        sampling: Sampling,
        sampler: Sampler,
        constraint: Constraint | None,
    ) -> None:
        self.id = id
        self.tokens = tokens
        self.shareable = tokens if sampling.seed is None else []
        self.sequence: Sequence | None = None
        self.keep = sampling.keep
        self._left = limit
        self._logprobs = sampling.logprobs
        self._top = sampling.top_logprobs if sampling.logprobs else 0
        self._sampler = sampler
        self._constraint = constraint

    @property
    def unread(self) -> int:
        """How many of its tokens are not in the cache; 1 while it writes."""
        return len(self.tokens) - (len(self.sequence.tokens) if self.sequence else 0)

    def write(self, logits: Logits, vocabulary: Vocabulary) -> list[Token | Done]:
        """Its next token, and its end if that is the last one. Raises Broken for logits that are no numbers."""
        token = self._choose(logits)
        piece = vocabulary.piece(token)
        if self._logprobs:
            told = details(logits, token, self._top)
            top = tuple((vocabulary.piece(id), logprob) for id, logprob in told.top)
            events: list[Token | Done] = [Token(piece, told.logprob, top, told.entropy)]
        else:
            events = [Token(piece)]
        self._left -= 1
        if vocabulary.ends(token):
            events.append(Done("stop"))
        else:
            self.tokens.append(token)
            if self._left == 0:
                events.append(Done("length"))
        return events

    def close(self) -> None:
        """Give back what is native."""
        if self._constraint:
            self._constraint.close()

    def _choose(self, logits: Logits) -> int:
        token = self._sampler.choose(logits)
        if self._constraint:
            if not self._constraint.allows(token):
                masked = self._constraint.masked(logits)
                if not np.isfinite(masked.max()):
                    raise Broken("the model's vocabulary can't write what the schema asks for")
                token = self._sampler.choose(masked)
            self._constraint.took(token)
        self._sampler.took(token)
        return token

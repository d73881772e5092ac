"""Choosing tokens from raw logits, and telling how sure the model was.

In numpy, because log-probability, alternatives and entropy need the whole distribution anyway, and it is faster: over 49,152
tokens, temperature and top_p take 80 µs and llama.cpp's own chain of them 600 µs (tests/bench/bench_llama.py, CPU time).
"""

from __future__ import annotations

import secrets
from collections import Counter
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Logits = NDArray[np.float32]
_NEAR: Final = 12.0
"""How far under the best logit, in units of the temperature, tokens are looked at first: mostly some hundreds of 49,152.

Sorting out the whole vocabulary takes 0.5 ms, sorting out those 0.05 ms; where they are too few, all are looked at.
"""

_COLDEST: Final = 1e-4  # less would overflow, and is greedy long before

_LOWEST: Final = np.float32(-1e4)  # as good as impossible: exp of it is 0 in any float


class Choosing(Struct, frozen=True):
    """How one request chooses. seed: None draws one."""

    temperature: float
    top_p: float
    presence_penalty: float
    frequency_penalty: float
    seed: int | None


class Details(Struct, frozen=True):
    """What is told of a token: of the model's own distribution, whatever temperature and penalties did to it.

    top: (token, logprob), the most likely one first. entropy: in nats.
    """

    logprob: float
    top: tuple[tuple[int, float], ...]
    entropy: float


class Sampler:
    """The choices of one request, in order."""

    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing
        seed = secrets.randbits(63) if choosing.seed is None else choosing.seed % 2**63
        self._random = np.random.default_rng(seed)
        self._counts: Counter[int] = Counter()
        self._penalised = bool(choosing.presence_penalty or choosing.frequency_penalty)

    def choose(self, logits: Logits) -> int:
        """A token. Logits of minus infinity are never chosen."""
        how = self._choosing
        if self._penalised and self._counts:
            logits = self._with_penalties(logits)
        if how.temperature == 0 or how.top_p == 0:
            return int(logits.argmax())
        scaled = logits / np.float32(max(how.temperature, _COLDEST))
        scaled -= scaled.max()
        if how.top_p < 1:
            return self._from_nucleus(scaled, how.top_p)
        return self._draw(np.exp(scaled).cumsum(dtype=np.float64))

    def took(self, token: int) -> None:
        """A token became part of the answer."""
        if self._penalised:
            self._counts[token] += 1

    def _draw(self, sums: NDArray[np.float64]) -> int:
        """A place in a list of running sums, each as likely as its own part."""
        place = int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))
        return min(place, len(sums) - 1)

    def _from_nucleus(self, scaled: Logits, top_p: float) -> int:
        """From the fewest likely tokens that have top_p of the whole; exact, though only near ones are sorted."""
        weights = np.exp(scaled)
        wanted = top_p * weights.sum(dtype=np.float64)
        near = np.flatnonzero(scaled > -_NEAR)
        if weights[near].sum(dtype=np.float64) < wanted:
            near = np.arange(len(scaled))
        order = near[np.argsort(-scaled[near], kind="stable")]
        sums = weights[order].cumsum(dtype=np.float64)
        size = 1 + int(np.searchsorted(sums, wanted, side="left"))
        return int(order[self._draw(sums[:size])])

    def _with_penalties(self, logits: Logits) -> Logits:
        tokens = np.fromiter(self._counts.keys(), np.int64, len(self._counts))
        counts = np.fromiter(self._counts.values(), np.float32, len(self._counts))
        changed = logits.copy()
        changed[tokens] -= np.float32(self._choosing.presence_penalty)
        changed[tokens] -= counts * np.float32(self._choosing.frequency_penalty)
        return changed


def details(logits: Logits, token: int, top: int) -> Details:
    """What the model thought of `token`, of the `top` most likely ones, and how undecided it was."""
    shifted = _shifted(logits)
    weights = np.exp(shifted)
    total = float(weights.sum(dtype=np.float64))
    log_total = float(np.log(total))
    entropy = max(0.0, log_total - float(weights.dot(shifted)) / total)
    alternatives: tuple[tuple[int, float], ...] = ()
    if top:
        near = np.flatnonzero(shifted > -_NEAR)
        if len(near) < top:
            near = np.arange(len(shifted))
        best = near[np.argpartition(shifted[near], -top)[-top:]]
        best = best[np.argsort(-shifted[best], kind="stable")]
        alternatives = tuple((int(id), min(0.0, float(shifted[id]) - log_total)) for id in best)
    return Details(min(0.0, float(shifted[token]) - log_total), alternatives, entropy)


def logprob(logits: Logits, token: int) -> float:
    """The natural log of one token's probability."""
    shifted = _shifted(logits)
    total = float(np.exp(shifted).sum(dtype=np.float64))
    return min(0.0, float(shifted[token]) - float(np.log(total)))


def _shifted(logits: Logits) -> Logits:
    """The highest is 0; what a model rules out is finite, since JSON knows no infinity."""
    shifted: Logits = logits - logits.max()
    np.maximum(shifted, _LOWEST, out=shifted)
    return shifted

"""Choosing tokens from raw logits, and telling how sure the model was of them.

In numpy: the whole distribution is needed anyway for log-probability, alternatives and entropy. CPU time a token, for
vocabularies of 49,152 and 151,936 (tests/bench/bench_raw.py; llama.cpp's own chain of temperature and top_p takes 570 us of
the smaller, tests/bench/bench_llama.py): greedy 14 and 24 us, the nucleus at temperature 0.7 110 and
500 us, log-probability with entropy 75 and 230 us, with five alternatives 160 and 430 us. A token of SmolLM2 takes 28 ms.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.engines.base import Broken

Logits = NDArray[np.float32]

_NEAR: Final = 12.0
"""How far under the best scaled logit a token is looked at first when top_p cuts the tail: e**-12 is 6e-6 of the best."""
_COLDEST: Final = 1e-4  # less overflows float32, and is greedy long before
_LOWEST: Final = np.float32(-1e4)
"""As good as impossible: exp of it is 0 in any float. What a model rules out is that, since JSON knows no infinity."""
_BLOCK: Final = 64  # values; other sizes were not tried


class Choosing(Struct, frozen=True):
    """How one request chooses. temperature, top_p: 0 is greedy. top_k: 0 is all. seed: None draws one.

    repetition_penalty: divides the positive logits of what the prompt and the answer hold (Keskar et al. 2019); 1 is none.
    presence_penalty, frequency_penalty: are taken off the logits of what the answer holds, as OpenAI's protocol says.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    seed: int | None = None


class Details(Struct, frozen=True):
    """What is told of a token: of the model's own distribution, whatever temperature and penalties did to it.

    top: (token, logprob), the most likely one first. entropy: in nats.
    """

    logprob: float
    top: tuple[tuple[int, float], ...]
    entropy: float


class Sampler:
    """The choices of one request, in order. prompt: its tokens, which a repetition penalty looks at."""

    def __init__(self, choosing: Choosing, prompt: Collection[int] = ()) -> None:
        self._choosing = choosing
        self._greedy = choosing.temperature == 0 or choosing.top_p == 0 or choosing.top_k == 1
        seed = secrets.randbits(63) if choosing.seed is None else choosing.seed % 2**63
        self._random = np.random.default_rng(seed)
        self._counts: Counter[int] = Counter()
        self._penalised = bool(choosing.presence_penalty or choosing.frequency_penalty)
        self._seen: set[int] | None = set(prompt) if choosing.repetition_penalty != 1 else None

    def choose(self, logits: Logits) -> int:
        """The next token. Logits of minus infinity are never chosen. Raises Broken for logits that are no numbers."""
        if not np.isfinite(logits.max()):  # a maximum is NaN if anything is
            raise Broken("the model computes with numbers that are none: its file is damaged, fetch it again")
        logits = self._with_penalties(logits)
        if self._greedy:
            return int(logits.argmax())
        scaled = logits / np.float32(max(self._choosing.temperature, _COLDEST))
        scaled -= scaled.max()
        if self._choosing.top_p < 1 or self._choosing.top_k:
            return self._from_nucleus(scaled)
        return self._draw(np.exp(scaled).cumsum(dtype=np.float64))

    def took(self, token: int) -> None:
        """A token became part of the answer."""
        if self._penalised:
            self._counts[token] += 1
        if self._seen is not None:
            self._seen.add(token)

    def _draw(self, sums: NDArray[np.float64]) -> int:
        """A place in a list of running sums, each as likely as its own part."""
        place = int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))
        return min(place, len(sums) - 1)

    def _from_nucleus(self, scaled: Logits) -> int:
        """From the top_k likeliest, and of these the fewest that have top_p of their sum."""
        how = self._choosing
        if 0 < how.top_k < len(scaled):
            likely = highest(scaled, how.top_k)
            weights = np.exp(scaled[likely]).astype(np.float64)
            wanted = how.top_p * weights.sum()
        else:
            every = np.exp(scaled)
            wanted = how.top_p * every.sum(dtype=np.float64)
            near = np.flatnonzero(scaled > -_NEAR)
            if every[near].sum(dtype=np.float64) < wanted:
                near = np.arange(len(scaled))
            likely = near[np.argsort(-scaled[near], kind="stable")]
            weights = every[likely].astype(np.float64)
        sums = weights.cumsum()
        size = 1 + int(np.searchsorted(sums, wanted, side="left"))
        return int(likely[self._draw(sums[:size])])

    def _with_penalties(self, logits: Logits) -> Logits:
        how = self._choosing
        if not self._counts and not self._seen:
            return logits
        changed = logits.copy()
        if self._seen:
            seen = np.fromiter(self._seen, np.int64, len(self._seen))
            before, factor = changed[seen], np.float32(how.repetition_penalty)
            changed[seen] = np.where(before > 0, before / factor, before * factor)
        if self._counts:
            tokens = np.fromiter(self._counts.keys(), np.int64, len(self._counts))
            counts = np.fromiter(self._counts.values(), np.float32, len(self._counts))
            changed[tokens] -= np.float32(how.presence_penalty) + counts * np.float32(how.frequency_penalty)
        return changed


def details(logits: Logits, token: int, top: int) -> Details:
    """What the model thought of `token`, of the `top` likeliest ones, and how undecided it was."""
    shifted = np.maximum(logits - logits.max(), _LOWEST)
    weights = np.exp(shifted)
    total = float(weights.sum(dtype=np.float64))
    log_total = float(np.log(total))
    entropy = log_total - float(weights.dot(shifted)) / total
    alternatives = tuple((int(id), min(0.0, float(shifted[id]) - log_total)) for id in highest(logits, top))
    return Details(min(0.0, float(shifted[token]) - log_total), alternatives, max(0.0, entropy))


def logprobs(logits: Logits, tokens: NDArray[np.int64]) -> list[float]:
    """The natural log of each token's probability. logits: (tokens, vocabulary), a row each."""
    peaks = logits.max(axis=1, keepdims=True)
    totals = np.log(np.exp(logits - peaks).sum(axis=1, dtype=np.float64))
    chosen = np.take_along_axis(logits, tokens[:, None], axis=1)
    return [min(0.0, float(value)) for value in (chosen - peaks)[:, 0] - totals]


def highest(values: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Places of the `count` largest values, the largest first.

    They lie in the `count` blocks whose own largest values are the largest, so that few are ever sorted. For 20 of
    49,152 values that takes 90 us, numpy's argpartition of all 410 (n = 300).
    """
    if count <= 0:
        return np.empty(0, np.int64)
    whole = len(values) // _BLOCK * _BLOCK
    if count * 4 * _BLOCK > whole:
        near = np.arange(len(values))
    else:
        peaks = values[:whole].reshape(-1, _BLOCK).max(axis=1)
        blocks = np.argpartition(peaks, -count)[-count:]
        inside = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        near = np.concatenate([inside, np.arange(whole, len(values))])
    order = np.lexsort((near, -values[near]))  # equal ones by their number, so that the answer is one
    return near[order[:count]]

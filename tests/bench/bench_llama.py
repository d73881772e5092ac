"""The llama.cpp engine against the shortest loop over the same library, in ratios within one run.

CPU time is told beside wall time, since it says the same on a machine that others use too.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines.base import Done, Raw, Sampling, Token
from edge_models.engines.llama_cpp import LlamaCpp, load
from edge_models.llama.context import BATCH_TOKENS
from edge_models.sampling import Choosing, Sampler, details

_STORY: Final = (
    "<|im_start|>user\nTell me a long story about a dragon who lives by the sea.<|im_end|>\n<|im_start|>assistant\n"
)
_PREFIX: Final = "The sea is wide and deep, and so is the sky above it. " * 57
_ids = count(1)


class Bare:
    """The least that the library takes: one sequence, decode, the likeliest token, again."""

    def __init__(self, engine: LlamaCpp) -> None:
        self._lib: Any = engine._context.lib
        params = engine._context._params()
        params.n_seq_max = 1
        self._context = self._lib.llama_init_from_model(engine._context._model, params)
        self._memory = self._lib.llama_get_memory(self._context)
        self._size = engine._context.vocabulary_size
        prompt = engine._vocabulary.tokens(_STORY, special=True)
        self._length, self._last = len(prompt), prompt[-1]
        given = (self._lib.llama_token * self._length)(*prompt)
        self._lib.llama_decode(self._context, self._lib.llama_batch_get_one(given, self._length))

    def write(self, tokens: int) -> None:
        """So many tokens, after a prompt of which all but the last token is in the cache, as it is for the engine."""
        self._lib.llama_memory_seq_rm(self._memory, 0, self._length - 1, -1)
        one = (self._lib.llama_token * 1)(self._last)
        for _ in range(tokens):
            self._lib.llama_decode(self._context, self._lib.llama_batch_get_one(one, 1))
            logits = np.ctypeslib.as_array(self._lib.llama_get_logits_ith(self._context, -1), shape=(self._size,))
            one[0] = int(logits.argmax())


def ours(engine: LlamaCpp, tokens: int, requests: int, **asked: Any) -> int:
    """The same through the engine. Returns how many tokens came."""
    for number in range(requests):
        sampling = Sampling(**{"max_tokens": tokens, "temperature": 0.0} | asked)
        engine.start(
            next(_ids), Raw(_STORY.replace("sea", f"sea number {number}") if requests > 1 else _STORY), sampling
        )
    came = done = 0
    while done < requests:
        for _, event in engine.step():
            came += isinstance(event, Token)
            done += isinstance(event, Done)
    return came


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of wall and of CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def decoding(engine: LlamaCpp, rounds: int, tokens: int) -> None:
    """Our loop, without and with everything that is told of a token, against the bare one."""
    bare = Bare(engine)
    kinds: dict[str, Callable[[], object]] = {
        "bare": lambda: bare.write(tokens),
        "engine": lambda: ours(engine, tokens, 1),
        "with logprobs, top 5, entropy": lambda: ours(engine, tokens, 1, logprobs=True, top_logprobs=5),
        "sampled at top_p 0.9": lambda: ours(engine, tokens, 1, temperature=0.7, top_p=0.9, seed=1),
    }
    for work in kinds.values():
        work()
    runs = [{name: timed(work) for name, work in kinds.items()} for _ in range(rounds)]
    for name in kinds:
        wall = statistics.median(run["bare"][0] / run[name][0] for run in runs)
        cpu = statistics.median(run["bare"][1] / run[name][1] for run in runs)
        best = tokens / min(run[name][0] for run in runs)
        print(f"{name}: {best:.0f} tok/s at best; against bare, wall {wall:.3f}, CPU {cpu:.3f} (medians of {rounds})")


def choosing(engine: LlamaCpp, rounds: int) -> None:
    """What one choice costs over the whole vocabulary, in numpy and in llama.cpp's own chain."""
    engine.start(next(_ids), Raw(_STORY), Sampling(max_tokens=1))
    while not engine.step():
        pass
    logits = engine._context.logits(-1).copy()
    greedy, nucleus = (Sampler(Choosing(temperature, 0.9, seed=1)) for temperature in (0.0, 0.7))
    lib = engine._context.lib
    chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
    for part in (
        lib.llama_sampler_init_top_p(0.9, 1),
        lib.llama_sampler_init_temp(0.7),
        lib.llama_sampler_init_dist(1),
    ):
        lib.llama_sampler_chain_add(chain, part)
    for name, work in {
        "greedy": lambda: greedy.choose(logits),
        "temperature and top_p": lambda: nucleus.choose(logits),
        "logprob and entropy": lambda: details(logits, 5, 0),
        "logprob, top 5 and entropy": lambda: details(logits, 5, 5),
        "llama.cpp's chain of top_p, temperature and draw": lambda: lib.llama_sampler_sample(
            chain, engine._context._context, -1
        ),
    }.items():
        took = sorted(timed(work)[1] for _ in range(20 * rounds))
        print(f"{name}: {1e6 * statistics.median(took):.0f} µs of CPU (median of {20 * rounds})")
    lib.llama_sampler_free(chain)


def prefixes(engine: LlamaCpp, rounds: int) -> None:
    """Time to the first token of a prompt of 800 tokens, and of others that begin as it does."""
    cold, warm = [], []
    for number in range(rounds):
        for ending in ("first", "second", "third"):
            took = timed(lambda end=f"{number} {_PREFIX} {ending}?": one(engine, end))  # type: ignore[misc]
            (cold if ending == "first" else warm).append(took[0])
            one(engine, f"An unrelated question, number {number}")
    print(
        f"first token, cold {1000 * statistics.median(cold):.0f} ms, prefix shared {1000 * statistics.median(warm):.0f} ms ({len(cold)} and {len(warm)} times)"
    )


def one(engine: LlamaCpp, prompt: str) -> None:
    """One token."""
    engine.start(next(_ids), Raw(prompt), Sampling(max_tokens=1, temperature=0.0))
    while not engine.step():
        pass


def aborts(engine: LlamaCpp, rounds: int) -> None:
    """From the cancel to the end of a native call that reads a prompt, and the length of such a call if nobody cancels."""
    gone: set[int] = set()
    engine.heed(gone.__contains__)
    whole = timed(lambda: one(engine, f"Whole. {_PREFIX}"))[0] * BATCH_TOKENS / 800
    waits = []
    for number in range(rounds):
        engine.start(id := next(_ids), Raw(f"{number} and {_PREFIX}"), Sampling(max_tokens=1))
        began: list[float] = []

        def leave(id: int = id, began: list[float] = began) -> None:
            began.append(time.perf_counter())
            gone.add(id)

        timer = threading.Timer(whole * (0.1 + 0.8 * number / rounds), leave)
        timer.start()
        while engine.step() or not began:
            pass
        waits.append(time.perf_counter() - began[0])
        engine.cancel(id)
        timer.join()
    engine.heed(frozenset[int]().__contains__)
    print(
        f"abort in mid-prefill: median {1000 * statistics.median(waits):.1f} ms, max {1000 * max(waits):.1f} ms of {rounds}; a whole batch takes {1000 * whole:.0f} ms"
    )


def together(engine: LlamaCpp, rounds: int, tokens: int) -> None:
    """Tokens a second of 1, 2, 4 and 8 requests at once."""
    rates: dict[int, list[float]] = {1: [], 2: [], 4: [], 8: []}
    for _ in range(rounds):
        for requests, found in rates.items():
            ours(engine, 1, requests)
            found.append(requests * tokens / timed(lambda n=requests: ours(engine, tokens, n))[0])  # type: ignore[misc]
    medians = [statistics.median(found) for found in rates.values()]
    print(
        f"together, 1/2/4/8 requests: {' / '.join(f'{rate:.0f}' for rate in medians)} tok/s, medians of {rounds}; 8 over 1: {medians[3] / medians[0]:.2f}"
    )


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rounds, tokens = (3, 48) if options.quick else (9, 96)
    engine = load(ModelRef(CATALOG[0].name, "llama-cpp"), Path(), lambda stage, fraction: None)
    assert isinstance(engine, LlamaCpp)
    choosing(engine, rounds)
    decoding(engine, rounds, tokens)
    prefixes(engine, 1 if options.quick else 3)
    aborts(engine, 5 if options.quick else 24)
    together(engine, rounds if options.quick else 3, tokens)
    engine.close()


if __name__ == "__main__":
    main()

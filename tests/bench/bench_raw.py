"""Our own decode loop against a bare one, and against GenAI: tokens a second, reading prompts, scores; interleaved in one run.

CPU time is told too, because other programs change wall time and hardly change that. Bare is the shortest loop that the
runtime allows: the same compiled model, argmax, nothing else.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np
import psutil

from edge_models.catalog import CATALOG, ModelRef
from edge_models.decoder import TokenSequence
from edge_models.engines import openvino_genai, openvino_raw
from edge_models.engines.base import Chat, Engine, Raw, Sampling, Token, Turn
from edge_models.sampling import Choosing, Sampler, details

_QUESTION: Final = "Tell me a long story about a dragon who lives by the sea."
_ids = count(1)
Spent = tuple[float, float]
"""Seconds of wall and of CPU time."""


def timed(work: Callable[[], object]) -> Spent:
    """How long it takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def bare(engine: openvino_raw.OpenVinoRaw, tokens: int) -> Spent:
    """Decode without choosing or telling anything."""
    sequence = TokenSequence(engine._idle._decoder)
    prompt = engine._tokenizer.apply_chat_template([{"role": "user", "content": _QUESTION}], True)
    token = int(sequence.read(engine._ids(prompt))[-1].argmax())

    def work() -> None:
        following = token
        for _ in range(tokens):
            following = int(sequence.read([following])[-1].argmax())

    return timed(work)


def ours(engine: Engine, tokens: int, sampling: Sampling, together: int = 1) -> Spent:
    """The same through an engine, after each request's first token. Ends of turn count as tokens, so few are lost."""
    seen = dict.fromkeys((next(_ids) for _ in range(together)), 0)
    for id in seen:
        engine.start(id, Chat((Turn("user", _QUESTION),)), sampling)
    while not all(seen.values()):
        for id, event in engine.step():
            seen[id] += isinstance(event, Token)
    already = sum(seen.values())

    def work() -> None:
        told = already
        while told < already + tokens * together:
            told += sum(isinstance(event, Token) for _, event in engine.step())

    spent = timed(work)
    for id in seen:
        engine.cancel(id)
    return spent


def reading(engine: openvino_raw.OpenVinoRaw, ids: list[int], chunk: int) -> Spent:
    """A prompt in parts."""
    sequence = TokenSequence(engine._idle._decoder)
    return timed(lambda: [sequence.read(ids[start : start + chunk]) for start in range(0, len(ids), chunk)])


def first_token(engine: Engine, text: str) -> Spent:
    """From the start of a request to its first token."""
    engine.start(id := next(_ids), Raw(text), Sampling(max_tokens=1, temperature=0.0))

    def work() -> None:
        while not engine.step():
            pass

    spent = timed(work)
    engine.cancel(id)
    return spent


def score(engine: openvino_raw.OpenVinoRaw, text: str, continuations: tuple[str, ...]) -> Spent:
    """Continuations of a prompt that was read."""
    engine.start(id := next(_ids), Raw(text), Sampling(keep=True))
    engine.score(id, ("",))
    spent = timed(lambda: engine.score(id, continuations))
    engine.cancel(id)
    return spent


def show(name: str, runs: list[Spent], tokens: int = 0, against: list[Spent] | None = None) -> None:
    """A line: medians, and the ratio of CPU time to another case's of the same round."""
    wall, cpu = (statistics.median(run[kind] for run in runs) for kind in range(2))
    rate = (
        f"{tokens / wall:.0f} tok/s, {tokens / cpu:.0f} a CPU second"
        if tokens
        else f"{1000 * wall:.1f} ms, CPU {1000 * cpu:.1f} ms"
    )
    ratio = ""
    if against:
        shares = sorted(b[1] / a[1] for a, b in zip(runs, against, strict=True))
        ratio = f"; speed {statistics.median(shares):.3f} ({shares[0]:.3f} to {shares[-1]:.3f})"
    print(f"{name}: {rate}{ratio}")


def numpy_costs() -> None:
    """What the statistics cost without a model."""
    for vocabulary in (49_152, 151_936):
        logits = np.random.default_rng(0).normal(0, 3, vocabulary).astype(np.float32)
        nucleus = Sampler(Choosing(temperature=0.7, top_p=0.9, seed=1))
        cases: dict[str, Callable[[], object]] = {
            "greedy": lambda logits=logits: Sampler(Choosing(temperature=0.0)).choose(logits),
            "nucleus": lambda logits=logits, nucleus=nucleus: nucleus.choose(logits),
            "log-probability, entropy": lambda logits=logits: details(logits, 5, 0),
            "and five alternatives": lambda logits=logits: details(logits, 5, 5),
        }
        for name, case in cases.items():
            costs = [timed(lambda case=case: [case() for _ in range(50)])[1] for _ in range(5)]
            print(f"  {vocabulary} tokens, {name}: {min(costs) / 50 * 1e6:.0f} us")


def main() -> None:
    """Print a line a case: medians over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache-dir", type=Path, required=True, help="where prepared models are kept")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=64)
    options = parser.parse_args()
    rounds, tokens = range(options.rounds), options.tokens

    numpy_costs()
    process = psutil.Process()
    genai = openvino_genai.load(ModelRef(CATALOG[0].name, "openvino-genai"), options.cache_dir, lambda *told: None)
    before = process.memory_info().rss
    raw = openvino_raw.load(ModelRef(CATALOG[0].name, "openvino-raw"), options.cache_dir, lambda *told: None)
    assert isinstance(raw, openvino_raw.OpenVinoRaw)
    print(f"loaded beside GenAI: {(process.memory_info().rss - before) >> 20} MB more")
    plain = Sampling(temperature=0.0)
    told = Sampling(temperature=0.0, logprobs=True)
    all_of_it = Sampling(temperature=0.0, logprobs=True, top_logprobs=5)
    sampled = Sampling(temperature=0.7, top_p=0.9, seed=1, logprobs=True, top_logprobs=5)
    ours(genai, 8, plain), ours(raw, 8, plain)

    cases: dict[str, Callable[[], Spent]] = {
        "bare": lambda: bare(raw, tokens),
        "engine": lambda: ours(raw, tokens, plain),
        "engine, top 5 and entropy": lambda: ours(raw, tokens, all_of_it),
        "engine, the same, sampled": lambda: ours(raw, tokens, sampled),
        "GenAI": lambda: ours(genai, tokens, plain),
        "GenAI, logprobs": lambda: ours(genai, tokens, told),
    }
    found: dict[str, list[Spent]] = {name: [] for name in cases}
    for _ in rounds:
        for name, case in cases.items():
            found[name].append(case())
    for name, runs in found.items():
        show(name, runs, tokens, found["bare"])
    for together in (2, 4):
        both = [(ours(raw, tokens // 2, plain, together), ours(genai, tokens // 2, plain, together)) for _ in rounds]
        show(f"engine, {together} together", [pair[0] for pair in both], together * (tokens // 2))
        show(f"GenAI, {together} together", [pair[1] for pair in both], together * (tokens // 2))

    ids = raw._ids("The quick brown fox jumps over the lazy dog, says line %d.\n" * 80)[:1024]
    chunks = {chunk: [reading(raw, ids, chunk)] for chunk in (64, 128, 256, 512, 1024)}
    for _ in rounds[1:]:
        for chunk, runs in chunks.items():
            runs.append(reading(raw, ids, chunk))
    for chunk, runs in chunks.items():
        show(f"reading 1,024 tokens in parts of {chunk}", runs, 1024, chunks[1024])
    texts = [f"{number} is a number. " + "It is neither large nor small, as numbers go. " * 45 for number in range(20)]
    firsts = [
        (first_token(genai, texts[round]), first_token(raw, texts[round]), first_token(raw, texts[round] + "So"))
        for round in rounds  # one after the other, since only the last few sequences are kept
    ]
    show("GenAI, first token of 500 new ones", [first[0] for first in firsts])
    show("engine, first token of 500 new ones", [first[1] for first in firsts])
    show("engine, the same with another end", [first[2] for first in firsts])
    show("two scores of one token", [score(raw, texts[0], (" yes", " no")) for _ in rounds])
    show(
        "two scores of five tokens", [score(raw, texts[0], (" It is a small one", " I am not so sure")) for _ in rounds]
    )
    before = process.memory_info().rss
    sequence = TokenSequence(raw._idle._decoder)
    for start in range(0, 4096, 256):
        sequence.read((ids * 4)[start : start + 256])
    print(f"a sequence of 4,096 tokens: {(process.memory_info().rss - before) >> 20} MB")


if __name__ == "__main__":
    main()

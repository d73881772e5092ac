"""Tokens a second of the bare GenAI loop and of our engine over it, interleaved in one run."""

from __future__ import annotations

import argparse
import statistics
import time
from itertools import count
from pathlib import Path
from typing import Any, Final

from edge_models import openvino_gate, store
from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines.base import Chat, Sampling, Token, Turn
from edge_models.engines.openvino_genai import OpenVinoGenAI, load, open_pipeline, versions

_QUESTION: Final = "Tell me a long story about a dragon who lives by the sea."
_ids = count(1)


def bare(pipeline: Any, requests: int, tokens: int) -> tuple[float, float]:
    """The shortest loop that GenAI allows. Returns tokens a second and seconds to the first token."""
    tokenizer = pipeline.get_tokenizer()
    began, first, seen = time.perf_counter(), 0.0, 0
    handles = []
    for number in range(requests):
        config = pipeline.get_config()
        config.max_new_tokens, config.ignore_eos = tokens, True
        text = tokenizer.apply_chat_template([{"role": "user", "content": f"{number} {_QUESTION}"}], True)
        ids = tokenizer.encode(text, add_special_tokens=False).input_ids
        handles.append(pipeline.add_request(next(_ids), ids, config))
    while pipeline.has_non_finished_requests():
        pipeline.step()
        for handle in handles:
            if handle.can_read():
                seen += sum(len(output.generated_ids) for output in handle.read().values())
                first = first or time.perf_counter() - began
    return seen / (time.perf_counter() - began), first


def ours(engine: OpenVinoGenAI, requests: int, tokens: int, logprobs: bool) -> tuple[float, float]:
    """The same through the engine, end of turn ignored as well."""
    began, first, seen = time.perf_counter(), 0.0, 0
    sampling = Sampling(max_tokens=tokens, temperature=0.0, logprobs=logprobs)
    for number in range(requests):
        engine.start(next(_ids), Chat((Turn("user", f"{number} {_QUESTION}"),)), sampling)
    while events := engine.step():
        seen += sum(isinstance(event, Token) for _, event in events)
        first = first or time.perf_counter() - began
    return seen / (time.perf_counter() - began), first


def main() -> None:
    """Print a line a case: medians over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache-dir", type=Path, required=True, help="where prepared models are kept")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--threads", type=int, default=0, help="0: what OpenVINO chooses")
    options = parser.parse_args()

    openvino_gate.genai()
    load(ModelRef(CATALOG[0].name, CATALOG[0].engine), options.cache_dir, lambda stage, fraction: None).close()
    prepared = store.prepare(
        store.locate(CATALOG[0]),
        CATALOG[0],
        options.cache_dir,
        versions()["openvino-genai"],
        _never,
        lambda fraction: None,
    )
    properties = {"INFERENCE_NUM_THREADS": options.threads} if options.threads else {}
    pipeline = open_pipeline(prepared.directory, prepared.context_tokens, properties, {})
    engine = OpenVinoGenAI(pipeline, prepared.context_tokens, CATALOG[0])
    for requests in (1, 8):
        bare(pipeline, requests, options.tokens)
        runs = [
            (
                bare(pipeline, requests, options.tokens),
                ours(engine, requests, options.tokens, False),
                ours(engine, requests, options.tokens, True),
            )
            for _ in range(options.rounds)
        ]
        rates = [statistics.median(run[kind][0] for run in runs) for kind in range(3)]
        first_ms = [1000 * statistics.median(run[kind][1] for run in runs) for kind in range(3)]
        ratio = statistics.median(run[1][0] / run[0][0] for run in runs)
        print(
            f"threads {options.threads or 'default'}, {requests} requests: bare {rates[0]:.0f} tok/s, engine"
            f" {rates[1]:.0f} (ratio {ratio:.3f}), with logprobs {rates[2]:.0f}; first token"
            f" {first_ms[0]:.0f} / {first_ms[1]:.0f} / {first_ms[2]:.0f} ms"
        )


def _never(gguf: Path, context_tokens: int) -> None:
    raise AssertionError("the model was prepared a moment ago")


if __name__ == "__main__":
    main()

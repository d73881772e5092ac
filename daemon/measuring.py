"""How fast this machine reads and writes, measured with a model that is here already, in a worker of its own."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.worker_process import WorkerProcess
from edge_models.catalog import ModelRef
from edge_models.engines.base import Raw, Sampling
from edge_models.ipc import End, Started, Text

TOKENS: Final = 48
ROUNDS: Final = 3
"""The first one warms up; of the others the faster one counts, since a busy machine only ever makes it slower."""
_PROMPT: Final = "The sea was calm in the morning, and nobody on the island knew what the day would bring. " * 12
LOAD_S: Final = 180.0


class Speed(Struct, frozen=True):
    """Tokens a second. device: what the model ran on, in the runtime's own name."""

    model: str
    device: str
    reading: float
    writing: float


async def measured(model: ModelRef, cache_dir: Path, keys: tuple[str, ...]) -> Speed:
    """Load a model and have it write a little. keys: variables that its process must not see.

    Raises NoCandidate, ProviderError, TimeoutError.
    """
    worker = await WorkerProcess.spawn(model, cache_dir, keys)
    errors = asyncio.create_task(worker.read_stderr())
    serving: asyncio.Task[None] | None = None
    try:
        async with asyncio.timeout(LOAD_S):
            ready = await worker.load(lambda loading: None)
            serving = asyncio.create_task(worker.serve())
            rounds = [await _round(worker, f"{number}. {_PROMPT}") for number in range(ROUNDS)]
    finally:
        await worker.stop()
        await asyncio.gather(errors, *filter(None, (serving,)), return_exceptions=True)
    return Speed(model.name, ready.device, max(r for r, _ in rounds[1:]), max(w for _, w in rounds[1:]))


async def _round(worker: WorkerProcess, prompt: str) -> tuple[float, float]:
    """Tokens a second: (reading, writing). The prompt is new each time, so that nothing of it is known already."""
    began = time.perf_counter()
    first: float | None = None
    prompt_tokens = written = 0
    async with aclosing(worker.generate(Raw(prompt), Sampling(max_tokens=TOKENS, temperature=0))) as events:
        async for event in events:
            match event:
                case Started():
                    prompt_tokens = event.prompt_tokens
                case Text() if first is None:
                    first = time.perf_counter()
                case End():
                    written = event.completion_tokens
    ended = time.perf_counter()
    first = first if first is not None else ended
    return prompt_tokens / max(first - began, 1e-6), max(written - 1, 0) / max(ended - first, 1e-6)

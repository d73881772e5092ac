"""Real worker processes with the scripted engine, for tests that speak to one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from daemon.worker_process import WorkerProcess
from edge_models.catalog import ModelRef

WAIT_S: Final = 10.0


@asynccontextmanager
async def spawned(folder: Path, options: str = "") -> AsyncIterator[WorkerProcess]:
    """A worker that was told to load the scripted engine."""
    worker = await WorkerProcess.spawn(ModelRef("play", "scripted", options), folder)
    reading = asyncio.create_task(worker.read_stderr())
    try:
        yield worker
    finally:
        await worker.stop()
        await reading


@asynccontextmanager
async def serving(folder: Path, options: str = "") -> AsyncIterator[tuple[WorkerProcess, asyncio.Task[None]]]:
    """A loaded worker, and the task that hands its events out."""
    async with spawned(folder, options) as worker, asyncio.timeout(WAIT_S):
        await worker.load(lambda loading: None)
        task = asyncio.create_task(worker.serve())
        try:
            yield worker, task
        finally:
            await worker.stop()
            await asyncio.gather(task, return_exceptions=True)

"""Short-lived processes that ask the drivers: one for the table of devices, one for each probe.

A driver is native code, and asking it can crash or hang. So neither the daemon nor a command asks: a process does, with a
time limit, and what it can't tell becomes a sentence.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from contextlib import suppress
from typing import Final

import msgspec

from daemon.errors import NearloopError
from edge_models.catalog import ModelRef
from edge_models.confinement.environment import scrubbed
from edge_models.devices import Refused, Table
from edge_models.probe import Job, Result, Unfit

QUERY_S: Final = 30.0
"""Takes 0.6 s here, all of it Python and OpenVINO; a first start of a GPU's runtime is given time to make its caches."""
PROBE_S: Final = 300.0
"""Reading the model, compiling it for the device (minutes on an NPU, the first time), and up to 30 s of rounds."""
_LAST_BYTES: Final = 300

_decode_table: Final = msgspec.json.Decoder(Table | Refused).decode
_decode_result: Final = msgspec.json.Decoder(Result).decode


class DeviceTrouble(NearloopError):
    """The devices can't be asked."""


def command(module: str) -> list[str]:
    """How this very installation runs a module of edge_models: by name, or by the frozen program's own entry point."""
    if getattr(sys, "frozen", False):
        return [sys.executable, module]
    return [sys.executable, "-m", f"edge_models.{module}"]


async def query() -> Table:
    """The devices of this machine. Raises DeviceTrouble."""
    answer, ended = await _run("device_query", b"", QUERY_S)
    try:
        table = _decode_table(answer)
    except msgspec.DecodeError:
        raise DeviceTrouble(
            f"the device query {ended}: a driver of a GPU or NPU is likely at fault; install a newer one, or put"
            ' device = "CPU" under your models in settings.toml, which asks no driver'
        ) from None
    if isinstance(table, Refused):
        raise DeviceTrouble(table.message)
    return table


async def probe(model: ModelRef, cache_dir: str) -> Result:
    """Measure a model on `model.device`."""
    job = msgspec.json.encode(Job(model, cache_dir)) + b"\n"
    answer, ended = await _run("probe", job, PROBE_S)
    try:
        return _decode_result(answer)
    except msgspec.DecodeError:
        return Unfit(model.device, f"the probe {ended}")


async def _run(module: str, job: bytes, limit_s: float) -> tuple[bytes, str]:
    """What the process said on its protocol's descriptor, and how it ended, in words. Its input stays open until then."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command(module), stdin=PIPE, stdout=PIPE, stderr=PIPE, env=scrubbed(os.environ, ())
        )
    except OSError as error:
        return b"", f"can't be started ({error.strerror})"
    assert process.stdin
    assert process.stdout
    assert process.stderr
    try:
        async with asyncio.timeout(limit_s):
            with suppress(ConnectionError):
                process.stdin.write(job)
                await process.stdin.drain()
            async with asyncio.TaskGroup() as group:
                said = group.create_task(process.stdout.read())
                complained = group.create_task(process.stderr.read())
            code = await process.wait()
    except TimeoutError:
        return b"", f"did not end within {limit_s:.0f} s"
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())
        process.stdin.close()
    return said.result(), _how(code, complained.result())


def _how(code: int, complaint: bytes) -> str:
    last = complaint[-_LAST_BYTES:].decode(errors="replace").strip().splitlines()
    how = f"crashed by signal {-code}" if code < 0 else f"ended with status {code} and without an answer"
    return how + (f" ({last[-1]})" if last else "")

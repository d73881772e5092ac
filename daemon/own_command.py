"""One of our own commands in a process of its own: for what the daemon's process has no library, and shall have none."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final

from daemon.errors import BadRequest

_SHELLS: Final = dict(os.environ)
"""The environment that the daemon was started with. What it sets for its own libraries, such as HF_HUB_OFFLINE, is none of a
command's business.
"""
END_S: Final = 3.0
"""How long a command may take to end when it is told to."""
_PREFIX: Final = "nearloop: "
"""Before the words of an error."""


def command(*arguments: str) -> list[str]:
    """How the command line starts itself. What stands behind `--` in it is never taken for an option."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "daemon.cli.main"]
    return [*program, *arguments]


async def lines(started_by: list[str]) -> AsyncGenerator[str, None]:
    """Each line that it says. Closing the generator ends it. Raises BadRequest with its last words if it failed."""
    process = await asyncio.create_subprocess_exec(*started_by, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, env=_SHELLS)
    assert process.stdout
    said = ""
    try:
        async for raw in process.stdout:
            said = raw.decode(errors="replace").strip()
            if said and not said.startswith(_PREFIX):
                yield said
        if await process.wait():
            raise BadRequest(said.removeprefix(_PREFIX) or "the command failed and did not say why", "model")
    finally:
        await _end(process)


async def answer(started_by: list[str]) -> bytes:
    """All that it prints as an answer. Its exit status may be a part of that, as of `doctor`. Raises BadRequest if it prints
    nothing, with the last words of its errors.
    """
    process = await asyncio.create_subprocess_exec(*started_by, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=_SHELLS)
    try:
        printed, errors = await process.communicate()
    finally:
        await _end(process)
    if printed.strip():
        return printed
    last = errors.decode(errors="replace").strip().rpartition("\n")[2]
    raise BadRequest(last.removeprefix(_PREFIX) or "the command failed and did not say why")


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(END_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

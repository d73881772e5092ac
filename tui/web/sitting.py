"""A visitor's dashboard: a process of its own, which ends with the visit."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Any, Final

from textual_serve.app_service import AppService

END_S: Final = 3.0
"""How long it may take to leave when it is asked to."""


class Sitting(AppService):
    """textual-serve's, but started without a shell, waited for, and ended if it doesn't leave."""

    def __init__(self, command: list[str], **given: Any) -> None:
        super().__init__("", **given)
        self._arguments = command

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = self._build_environment(width, height)
        process = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def stop(self) -> None:
        """Have it leave, or end it."""
        process = self._process
        try:
            async with asyncio.timeout(END_S):
                await super().stop()
                if process is not None:
                    await process.wait()
        except (TimeoutError, OSError):
            pass
        finally:
            if process is not None and process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

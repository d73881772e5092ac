"""What is said of faults that nobody foresaw: what kind they are and where, and nobody's words.

An exception's message can quote what it failed at, and Python prints it in many places: at the end of the main thread and of
others, for tasks that nobody awaited, for what is cleaned up late, and wherever a library logs an exception. Here all of
these are told by type and place alone.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from types import TracebackType
from typing import Any, Final

from edge_models.confinement.dumps import keep_no_dumps

_FORMAT: Final = "%(asctime)s %(name)s %(levelname)s %(message)s"
_DEEPEST: Final = 30
"""Frames that are told, the innermost first."""
_OURS: Final = "nearloop"
log: Final = logging.getLogger(_OURS)


def place_of(error: BaseException) -> str:
    """File and line of the innermost frame: enough to find a bug."""
    return next(iter(_frames(error.__traceback__)), "an unknown place")


def told(error: BaseException) -> str:
    """Its type, its frames, the innermost first, and those of what caused it."""
    said: list[str] = []
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        frames = _frames(cause.__traceback__)[:_DEEPEST]
        said.append(f"{type(cause).__name__} in {', called in '.join(frames) or 'an unknown place'}")
        cause = cause.__cause__ or cause.__context__
    return "; after ".join(said)


def _frames(trace: TracebackType | None) -> list[str]:
    found: list[str] = []
    while trace is not None:
        found.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found[::-1]


class Wordless(logging.Formatter):
    """Log lines as ever, with exceptions by type and place; of asyncio, whose messages show objects, the first line."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name == "asyncio":
            record = logging.makeLogRecord(
                {**vars(record), "msg": record.getMessage().partition("\n")[0], "args": None}
            )
        return super().format(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802  # as logging has it
        return told(ei[1]) if ei[1] is not None else ""


def keep_words_out() -> None:
    """From now on, for this process: what it logs, how it ends, and what a crash leaves."""
    keep_no_dumps()
    logging.basicConfig(level=logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(Wordless(_FORMAT))
    sys.excepthook = lambda kind, error, trace: log.critical("ended by %s", told(error))
    threading.excepthook = lambda ended: log.critical(
        "a thread ended by %s", told(ended.exc_value) if ended.exc_value else ended.exc_type.__name__
    )
    sys.unraisablehook = lambda found: log.error(
        "could not clean up: %s", told(found.exc_value) if found.exc_value else found.exc_type.__name__
    )


def watch(loop: asyncio.AbstractEventLoop) -> None:
    """The same for what nobody awaited on an event loop."""
    loop.set_exception_handler(_unawaited)


def _unawaited(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    log.error(
        "nobody awaited: %s", told(error) if isinstance(error, BaseException) else "something without an exception"
    )

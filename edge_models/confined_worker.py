"""A worker's own end: it gives up what it has no use for, and then answers commands, each of which has its time.

A watchdog in C ends the process when a command's time is over, even if native code holds the interpreter. As in
`edge_models.worker`, a second thread reads the commands, end of input ends the process at once, and standard output belongs
to the protocol.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from edge_models.confinement import out_of_memory
from edge_models.confinement.process import cap_memory, confine, end_at_once_when_broken
from edge_models.engines.base import EngineError
from edge_models.ipc import Failed
from edge_models.pipes import bodies
from edge_models.private_output import own_standard_output, write_all

EXIT_BROKEN: Final = 70
"""Exit status after a failure that was reported: EX_SOFTWARE of sysexits.h."""
EXIT_LATE: Final = 1
"""Exit status when a command's time was over: what the watchdog of `faulthandler` ends with."""
Serve = Callable[[Callable[[], Any], Callable[[Any], None], BinaryIO, tuple[str, ...]], None]
"""Answers what it receives by sending until the process ends; then where a watchdog may write, and what holds the process.
Raises EngineError if it can't."""


@contextmanager
def bounded(timeout_s: float, nowhere: BinaryIO) -> Iterator[None]:
    """End this process if the block takes longer. nowhere: where the watchdog writes its trace, which nobody wants."""
    try:
        faulthandler.dump_traceback_later(timeout_s, exit=True, file=nowhere)
    except RuntimeError as error:
        raise MemoryError("no room for the watchdog's thread") from error
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def too_much(error: BaseException, cap_bytes: int, remedy: str) -> EngineError:
    """The error itself, or that it ran out of memory if that is what it comes from."""
    if isinstance(error, EngineError) and not out_of_memory.is_behind(error):
        return error
    return out_of_memory.told(cap_bytes, remedy)


def capped(send: Callable[[Any], None], cap_bytes: int, remedy: str) -> tuple[str, ...]:
    """Take no more memory than this from now on; whoever does says so and ends. What holds it now, as `cap_memory` tells."""

    def give_up() -> None:
        send(Failed(None, "OutOfMemory", str(out_of_memory.told(cap_bytes, remedy))))
        os._exit(EXIT_BROKEN)

    return cap_memory(cap_bytes, give_up)


def run(serve: Serve, decode: Callable[[bytes], Any], frame: Callable[[Any], bytes]) -> None:
    """Run a worker on this process's standard input and output."""
    confinement = confine()
    end_at_once_when_broken()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the daemon decides who ends
    sink = own_standard_output()
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def send(event: Any) -> None:
        write_all(sink, frame(event))

    def read_commands() -> None:
        try:
            for body in bodies(sys.stdin.buffer):
                inbox.put(decode(body))
        finally:
            os._exit(0)

    threading.Thread(target=read_commands, name="commands", daemon=True).start()
    try:
        with open(os.devnull, "wb") as nowhere:
            serve(inbox.get, send, nowhere, confinement)
    except EngineError as error:
        send(Failed(None, type(error).__name__, str(error)))
        os._exit(EXIT_BROKEN)
    except BrokenPipeError:
        os._exit(0)  # the owner is gone

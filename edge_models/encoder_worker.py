"""A worker for one encoder whose files nobody vouches for.

A graph, weights and a tokenizer.json from somewhere are hostile input to native code, so they are read in a process that
can die alone. Every command has its time: a watchdog in C ends the process when it is over, even if native code holds the
interpreter (a regular expression in a tokenizer.json can run for years). As in `edge_models.worker`, a second thread reads
the commands, end of input ends the process at once, and standard output belongs to the protocol; before all that, the
process gives up what it has no use for, and from Open on it has so much memory and no more.
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
from typing import BinaryIO, Final

from edge_models.classifiers.entailment import EntailmentHead
from edge_models.classifiers.opening import Opened as Encoder
from edge_models.classifiers.opening import open_encoder
from edge_models.classifiers.sequence import SequenceClassifier
from edge_models.classifiers.tokens import TokenHead
from edge_models.confinement import out_of_memory
from edge_models.confinement.process import cap_memory, confine, end_at_once_when_broken
from edge_models.encoder_ipc import (
    Ask,
    EncoderCommand,
    EncoderEvent,
    Open,
    Opened,
    Spans,
    decode_command,
    frame,
    rows_of,
)
from edge_models.engines.base import EngineError
from edge_models.ipc import PROTOCOL, Failed, Hello
from edge_models.pipes import bodies
from edge_models.private_output import own_standard_output, write_all
from edge_models.runtimes.registry import load_runtime

EXIT_BROKEN: Final = 70
"""Exit status after a failure that was reported: EX_SOFTWARE of sysexits.h."""
EXIT_LATE: Final = 1
"""Exit status when a command's time was over: what the watchdog of `faulthandler` ends with."""


def look(encoder: Encoder, ask: Ask) -> EncoderEvent:
    """Answer one Ask. Raises Broken, TextTooLong."""
    match encoder:
        case TokenHead():
            return Spans(ask.id, encoder.spans(ask.texts))
        case SequenceClassifier():
            return rows_of(ask.id, encoder.predict(ask.texts))
        case EntailmentHead():
            return rows_of(ask.id, encoder.judge(ask.pairs))
        case _:
            return rows_of(ask.id, encoder.embed(ask.texts))


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


def too_much(error: BaseException, cap_bytes: int) -> EngineError:
    """The error itself, or that it ran out of memory if that is what it comes from."""
    if isinstance(error, EngineError) and not out_of_memory.is_behind(error):
        return error
    return out_of_memory.told(cap_bytes, out_of_memory.ENCODER_REMEDY)


def serve(
    receive: Callable[[], EncoderCommand],
    send: Callable[[EncoderEvent], None],
    nowhere: BinaryIO,
    confinement: tuple[str, ...],
) -> None:
    """Open one encoder and answer until the process ends. confinement: what holds it. Raises EngineError if it can't be."""
    first = receive()
    assert isinstance(first, Open), "the first command has to be Open"
    cap_bytes = first.memory_cap_bytes

    def give_up() -> None:
        send(Failed(None, "OutOfMemory", str(out_of_memory.told(cap_bytes, out_of_memory.ENCODER_REMEDY))))
        os._exit(EXIT_BROKEN)

    confinement += cap_memory(cap_bytes, give_up)
    try:
        with bounded(first.timeout_s, nowhere):
            versions = load_runtime(first.ref.runtime).versions()
            send(Hello(PROTOCOL, first.ref.runtime, versions, os.getpid(), confinement))
            encoder = open_encoder(first.ref)
    except (EngineError, MemoryError) as error:
        raise too_much(error, cap_bytes) from error
    send(Opened(encoder.about))
    while True:
        ask = receive()
        assert isinstance(ask, Ask), "a worker opens one encoder in its life"
        try:
            with bounded(ask.timeout_s, nowhere):
                send(look(encoder, ask))
        except (EngineError, MemoryError) as error:
            broken = too_much(error, cap_bytes)
            send(Failed(ask.id, type(broken).__name__, str(broken)))
        except ValueError:  # of `frame`
            send(Failed(ask.id, "Broken", "the answer is larger than a worker may send: ask for fewer texts at once"))


def _read_commands(inbox: queue.SimpleQueue[EncoderCommand]) -> None:
    try:
        for body in bodies(sys.stdin.buffer):
            inbox.put(decode_command(body))
    finally:
        os._exit(0)


def main() -> None:
    """Run a worker on this process's standard input and output."""
    confinement = confine()
    end_at_once_when_broken()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the daemon decides who ends
    sink = own_standard_output()
    inbox: queue.SimpleQueue[EncoderCommand] = queue.SimpleQueue()

    def send(event: EncoderEvent) -> None:
        write_all(sink, frame(event))

    threading.Thread(target=_read_commands, args=(inbox,), name="commands", daemon=True).start()
    try:
        with open(os.devnull, "wb") as nowhere:
            serve(inbox.get, send, nowhere, confinement)
    except EngineError as error:
        send(Failed(None, type(error).__name__, str(error)))
        os._exit(EXIT_BROKEN)
    except BrokenPipeError:
        os._exit(0)  # the owner is gone


if __name__ == "__main__":
    main()

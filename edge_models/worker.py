"""A worker: one engine with one model in its own process, driven by one owner thread.

Theory of operation. A model file is hostile input and an engine is native code, so both live where a crash costs one
process. The main thread owns the engine: it takes commands, steps while anything is in flight, and writes one frame a
step. A second thread only reads frames, because the owner may be inside a native call when the daemon goes away: end of
input ends the process at once. Standard output belongs to the protocol: before the engine is imported, descriptor 1 is
turned to standard error, and the protocol keeps a private copy.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from edge_models.assembly import Assembler
from edge_models.engines.base import ContextTooLong, Engine, EngineError, Stage, Token
from edge_models.engines.registry import load_engine
from edge_models.ipc import (
    HEADER_BYTES,
    PROTOCOL,
    Batch,
    Cancel,
    Command,
    End,
    Event,
    Failed,
    Hello,
    Load,
    Loading,
    Ready,
    Start,
    Started,
    Text,
    body_length,
    decode_command,
    frame,
)
from edge_models.private_output import own_standard_output, write_all

EXIT_BROKEN: Final = 70
"""Exit status after an engine failure that was reported: EX_SOFTWARE of sysexits.h."""

Send = Callable[[Event], None]


class _Job:
    """One request in flight."""

    def __init__(self, start: Start) -> None:
        self.text = Assembler(start.sampling.stop, start.sampling.logprobs)
        self.count = 0


class Worker:
    """The owner thread's loop over a loaded engine. receive(block): the next command, or None if there is none."""

    def __init__(self, engine: Engine, receive: Callable[[bool], Command | None], send: Send) -> None:
        self._engine = engine
        self._receive = receive
        self._send = send
        self._jobs: dict[int, _Job] = {}

    def run(self) -> None:
        """Serve until the process ends. Raises Broken as the engine does."""
        while True:
            while command := self._receive(not self._jobs):
                self._obey(command)
            if events := self._step():
                self._send(Batch(tuple(events)))

    def _obey(self, command: Command) -> None:
        match command:
            case Start(id=id):
                try:
                    prompt_tokens = self._engine.start(id, command.prompt, command.sampling)
                except EngineError as error:
                    self._send(failure(id, error))
                    return
                self._jobs[id] = _Job(command)
                self._send(Started(id, prompt_tokens))
            case Cancel(id=id):
                if self._jobs.pop(id, None):
                    self._engine.cancel(id)
            case Load():
                raise ValueError("a worker loads one model in its life")

    def _step(self) -> list[Text | End]:
        events: list[Text | End] = []
        for id, step in self._engine.step():
            job = self._jobs.get(id)
            if job is None:
                continue
            if isinstance(step, Token):
                job.count += 1
                text, tokens = job.text.feed(step)
                if job.text.stopped:
                    self._engine.cancel(id)
                if text:
                    events.append(Text(id, text, tokens))
                if job.text.stopped:
                    events.append(self._end(id, job, "stop"))
            else:
                text, tokens = job.text.finish()
                if text or tokens:
                    events.append(Text(id, text, tokens))
                events.append(self._end(id, job, step.reason))
        return events

    def _end(self, id: int, job: _Job, reason: str) -> End:
        del self._jobs[id]
        return End(id, "stop" if reason == "stop" else "length", job.count)


def failure(id: int | None, error: EngineError) -> Failed:
    """An engine's refusal, for the wire."""
    numbers = (error.prompt_tokens, error.context_tokens) if isinstance(error, ContextTooLong) else ()
    return Failed(id, type(error).__name__, str(error), numbers)


def _read_commands(source: BinaryIO, inbox: queue.SimpleQueue[Command]) -> None:
    """Read frames until the daemon is gone, then end the process, whatever the owner is doing."""
    try:
        while len(header := source.read(HEADER_BYTES)) == HEADER_BYTES:
            body = source.read(body_length(header))
            inbox.put(decode_command(body))
    finally:
        os._exit(0)


def main() -> None:
    """Run a worker on this process's standard input and output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the daemon decides who ends
    sink = own_standard_output()
    inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()

    def send(event: Event) -> None:
        write_all(sink, frame(event))

    def progress(stage: Stage, fraction: float | None) -> None:
        send(Loading(stage, fraction))

    def receive(block: bool) -> Command | None:
        try:
            return inbox.get(block=block)
        except queue.Empty:
            return None

    threading.Thread(target=_read_commands, args=(sys.stdin.buffer, inbox), name="commands", daemon=True).start()
    try:
        load = inbox.get()
        assert isinstance(load, Load), "the first command has to be Load"
        module = load_engine(load.model.engine)
        send(Hello(PROTOCOL, load.model.engine, module.versions(), os.getpid()))
        engine = module.load(load.model, Path(load.cache_dir), progress)
        send(Ready(engine.capabilities, engine.context_tokens, engine.device))
        Worker(engine, receive, send).run()
    except EngineError as error:
        send(failure(None, error))
        sys.stderr.flush()
        os._exit(EXIT_BROKEN)
    except BrokenPipeError:
        os._exit(0)  # the daemon is gone


if __name__ == "__main__":
    main()

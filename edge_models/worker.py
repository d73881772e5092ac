"""A worker: one engine with one model in its own process, driven by one owner thread.

Theory of operation. A model file is hostile input and an engine is native code, so both live where a crash costs one
process. The main thread owns the engine: it takes commands, steps while anything is in flight, and writes one frame a
step. A second thread only reads frames, because the owner may be inside a native call when the daemon goes away: end of
input ends the process at once. Standard output belongs to the protocol: before the engine is imported, descriptor 1 is
turned to standard error, and the protocol keeps a private copy. Before all that, the process gives up what neither it
nor whoever takes it over has a use for: `confinement/process.py`.
"""

from __future__ import annotations

import math
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, Literal

from edge_models.assembly import Assembler
from edge_models.confinement import out_of_memory
from edge_models.confinement.process import cap_memory, confine, end_at_once_when_broken
from edge_models.engines.base import (
    BadPrompt,
    Broken,
    Call,
    ContextTooLong,
    Done,
    Engine,
    EngineError,
    Interruptible,
    Raw,
    Sampling,
    Scorer,
    Stage,
    Token,
    Unavailable,
)
from edge_models.engines.registry import load_engine
from edge_models.ipc import (
    HEADER_BYTES,
    PROTOCOL,
    Batch,
    Called,
    Cancel,
    Command,
    Count,
    Counted,
    End,
    Event,
    Failed,
    Hello,
    Load,
    Loading,
    Ready,
    Score,
    Scored,
    Start,
    Started,
    Text,
    TokenInfo,
    body_length,
    decode_command,
    frame,
)
from edge_models.private_output import own_standard_output, write_all
from edge_models.tool_calls.asking import arranged
from edge_models.tool_calls.base import CallReader

EXIT_BROKEN: Final = 70
"""Exit status after an engine failure that was reported: EX_SOFTWARE of sysexits.h."""

LAST_WORDS_S: Final = 1.0
_ONE_TOKEN: Final = Sampling(max_tokens=1)
WARM_UP_ID: Final = 0
"""The daemon counts requests from 1."""

Send = Callable[[Event], None]
SIGN_OF_LIFE_S: Final = 2.0
"""How often at least it says that it works, while it does: a long prompt brings no words for minutes."""


class _Job:
    """One request in flight. calls: what reads tool calls in its answer, if it may have any."""

    def __init__(self, sampling: Sampling, calls: CallReader | None) -> None:
        self.keep = sampling.keep
        self.count = 0
        self._text = Assembler(sampling.stop, sampling.logprobs)
        self._calls = calls
        self._tokens: tuple[TokenInfo, ...] = ()
        self._called = False

    @property
    def stopped(self) -> bool:
        """Whether a stop string was found."""
        return self._text.stopped

    def feed(self, id: int, token: Token) -> list[Text | Called]:
        """What is certain with one more token."""
        self.count += 1
        return self._pieces(id, *self._text.feed(token), last=self._text.stopped)

    def finish(self, id: int) -> list[Text | Called]:
        """What was held back, at the end."""
        return self._pieces(id, *self._text.finish(), last=True)

    def end(self, id: int, reason: Literal["stop", "length"]) -> End:
        """Its last event."""
        why = "tool_calls" if self._called and reason == "stop" else reason
        return End(id, why, self.count, self._text.stop_found)

    def _pieces(self, id: int, text: str, tokens: tuple[TokenInfo, ...], last: bool) -> list[Text | Called]:
        if self._calls is None:
            return [Text(id, text, tokens)] if text or (last and tokens) else []
        self._tokens += tokens  # they go with the next words, or the next call
        events: list[Text | Called] = []
        for piece in self._calls.feed(text) + (self._calls.finish() if last else []):
            if isinstance(piece, Call):
                events.append(Called(id, piece.name, piece.arguments, self._tokens))
                self._called = True
            else:
                events.append(Text(id, piece, self._tokens))
            self._tokens = ()
        return events


class Worker:
    """The owner thread's loop over a loaded engine. receive(block): the next command, or None if there is none."""

    def __init__(self, engine: Engine, receive: Callable[[bool], Command | None], send: Send) -> None:
        self._engine = engine
        self._receive = receive
        self._send = send
        self._jobs: dict[int, _Job] = {}
        self._kept: set[int] = set()
        self._said_at = 0.0

    def run(self) -> None:
        """Serve until the process ends. Raises Broken as the engine does."""
        while True:
            while command := self._receive(not self._jobs):
                self._obey(command)
            if events := self._step():
                self._say(events)
            elif time.monotonic() - self._said_at > SIGN_OF_LIFE_S:
                self._say([])

    def _say(self, events: list[Text | Called | End]) -> None:
        self._said_at = time.monotonic()
        self._send(Batch(tuple(events)))

    def _obey(self, command: Command) -> None:
        match command:
            case Start(id=id):
                try:
                    prompt, sampling, calls = arranged(
                        command.prompt, command.sampling, command.tool_choice, self._engine.chat_template
                    )
                    prompt_tokens = self._engine.start(id, prompt, sampling)
                except EngineError as error:
                    self._send(failure(id, error))
                    return
                self._jobs[id] = _Job(sampling, calls)
                self._send(Started(id, prompt_tokens))
            case Cancel(id=id):
                if self._jobs.pop(id, None) or id in self._kept:
                    self._kept.discard(id)
                    self._engine.cancel(id)
            case Count():
                self._send(self._count(command))
            case Score(id=id):
                self._send(self._score(command))
            case Load():
                raise ValueError("a worker loads one model in its life")

    def _count(self, command: Count) -> Counted | Failed:
        """By putting it in and taking it out before a step is made: rendering and the tokenizer are the engine's own."""
        try:
            prompt, sampling, _ = arranged(command.prompt, _ONE_TOKEN, "auto", self._engine.chat_template)
            prompt_tokens = self._engine.start(command.id, prompt, sampling)
        except ContextTooLong as error:
            return Counted(command.id, error.prompt_tokens)
        except EngineError as error:
            return failure(command.id, error)
        self._engine.cancel(command.id)
        return Counted(command.id, prompt_tokens)

    def _score(self, command: Score) -> Scored | Failed:
        id = command.id
        if not isinstance(self._engine, Scorer) or (id not in self._jobs and id not in self._kept):
            return failure(id, Unavailable("this request can't be scored: it is over, or its engine doesn't score"))
        return Scored(id, self._engine.score(id, command.continuations))

    def _step(self) -> list[Text | Called | End]:
        events: list[Text | Called | End] = []
        for id, step in self._engine.step():
            job = self._jobs.get(id)
            if job is None:
                continue
            if isinstance(step, Token):
                events += job.feed(id, step)
                if not job.stopped:
                    continue
                self._engine.cancel(id)
            else:
                events += job.finish(id)
                if job.keep:
                    self._kept.add(id)
            events.append(job.end(id, step.reason if isinstance(step, Done) else "stop"))
            del self._jobs[id]
        return events


def failure(id: int | None, error: EngineError) -> Failed:
    """An engine's refusal, for the wire."""
    numbers = (error.prompt_tokens, error.context_tokens) if isinstance(error, ContextTooLong) else ()
    return Failed(id, type(error).__name__, str(error), numbers)


def _read_commands(source: BinaryIO, inbox: queue.SimpleQueue[Command], cancelled: set[int]) -> None:
    """Read frames until the daemon is gone, then end the process, whatever the owner is doing.

    cancelled: gets the requests that nobody waits for any more, at once; ids never come back, so it is small enough.
    """
    try:
        while len(header := source.read(HEADER_BYTES)) == HEADER_BYTES:
            command = decode_command(source.read(body_length(header)))
            if isinstance(command, Cancel):
                cancelled.add(command.id)
            inbox.put(command)
    finally:
        os._exit(0)


def warm_up(engine: Engine) -> None:
    """Generate one token, so that the first question does not pay for what an engine puts off until it is used.

    Raises Unavailable for weights that are damaged so that nothing can be computed with them.

    Measured with SmolLM2-135M in OpenVINO GenAI on 2 cores (n = 3): first token of the first answer after 274 ms of CPU
    time, of the second after 65 ms; with this before it, of the first after 76 ms.
    """
    try:
        engine.start(WARM_UP_ID, Raw("a"), Sampling(max_tokens=1, logprobs=engine.capabilities.logprobs != "none"))
    except (BadPrompt, ContextTooLong):
        return  # it has other ways to be asked
    try:
        while not any(isinstance(step, Done) for step in _steps(engine)):
            pass
    except Broken as error:
        raise Unavailable(
            "the engine fails on the model's first word: its file may be damaged, fetch it again"
        ) from error


def _steps(engine: Engine) -> list[Token | Done]:
    """What one step brings. Raises Broken for log-probabilities that are none."""
    steps = [step for _, step in engine.step()]
    for step in steps:
        if isinstance(step, Token) and step.logprob is not None and not math.isfinite(step.logprob):
            raise Broken("the model computes with numbers that are none")
    return steps


def main() -> None:
    """Run a worker on this process's standard input and output."""
    confinement = confine()
    end_at_once_when_broken()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; the daemon decides who ends
    sink = own_standard_output()
    inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
    cancelled: set[int] = set()
    writing = threading.Lock()

    def send(event: Event) -> None:
        with writing:
            write_all(sink, frame(event))

    def progress(stage: Stage, fraction: float | None) -> None:
        send(Loading(stage, fraction))

    def receive(block: bool) -> Command | None:
        try:
            return inbox.get(block=block)
        except queue.Empty:
            return None

    def give_up(error: EngineError) -> None:
        if writing.acquire(timeout=LAST_WORDS_S):  # the owner may be stuck in a write that nobody reads
            write_all(sink, frame(failure(None, error)))
        sys.stderr.flush()
        os._exit(EXIT_BROKEN)

    threading.Thread(
        target=_read_commands, args=(sys.stdin.buffer, inbox, cancelled), name="commands", daemon=True
    ).start()
    cap_bytes: int | None = None
    try:
        load = inbox.get()
        assert isinstance(load, Load), "the first command has to be Load"
        if cap_bytes := load.memory_cap_bytes:
            confinement += cap_memory(cap_bytes, lambda: give_up(out_of_memory.told(cap_bytes)))
        module = load_engine(load.model.engine)
        send(Hello(PROTOCOL, load.model.engine, module.versions(), os.getpid(), confinement))
        engine = module.load(load.model, Path(load.cache_dir), progress)
        if isinstance(engine, Interruptible):
            engine.heed(cancelled.__contains__)
        warm_up(engine)
        send(Ready(engine.capabilities, engine.context_tokens, engine.device))
        Worker(engine, receive, send).run()
    except (EngineError, MemoryError) as error:
        if out_of_memory.is_behind(error) or not isinstance(error, EngineError):
            give_up(out_of_memory.told(cap_bytes))
        else:
            give_up(error)
    except BrokenPipeError:
        os._exit(0)  # the daemon is gone


if __name__ == "__main__":
    main()

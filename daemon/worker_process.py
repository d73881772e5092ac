"""A worker process, seen from the event loop: commands out, events in, and how it ended."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from daemon import machine_memory
from daemon.errors import NoCandidate
from edge_models.catalog import ModelRef
from edge_models.confinement import out_of_memory
from edge_models.confinement.environment import scrubbed
from edge_models.engines.base import Prompt, Sampling
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
    body_length,
    decode_event,
    frame,
)
from providers.contract import BadAnswer, ContextTooLong, ProviderError, Unreachable, Unsupported

STOP_S: Final = 3.0
"""How long a worker may take to end after its input was closed, before it is killed."""
RESTART_HINT_S: Final = 2.0
"""What a client is told to wait after a worker died; a warm start takes about this long (facts: 1.7 s)."""
STALL_S: Final = 120.0
"""A worker that has requests and says nothing for so long hangs. One step, its longest silence, is 512 tokens of a prompt:
34 s at 15 tokens a second, which a model of 8 billion parameters makes on a weak CPU (computed)."""
LOAD_STALL_S: Final = 900.0
"""The same while it loads: preparing a large file has long stretches without a word, on a slow disk."""
LOOKS: Final = 10
"""How often a silence is looked at before it counts: time in which the whole machine slept is one look only."""
KILLED: Final = 9
"""SIGKILL, which the system ends a process by that it has no memory for; Windows has no such number."""
_STDERR_LINES: Final = 20
_STDERR_BYTES: Final = 4096


def worker_command() -> list[str]:
    """How this very installation starts a worker: by module, or by the frozen program's own entry point."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "worker"]
    return [sys.executable, "-m", "edge_models.worker"]


_Heard = Started | Text | Called | End


class WorkerLost(Unreachable):
    """The model's process ended."""


class WorkerProcess:
    """One running worker with one model in it. `start` makes it, `closed` says when it is gone, `stop` ends it."""

    def __init__(self, process: Process, memory_cap_bytes: int | None) -> None:
        self.memory_cap_bytes = memory_cap_bytes
        self._process = process
        self._oom_kills = machine_memory.oom_kills()
        self._complained_of_memory = False
        self._inboxes: dict[int, asyncio.Queue[_Heard | ProviderError]] = {}
        self._questions: dict[int, deque[asyncio.Future[Scored | Counted]]] = {}
        """Questions that wait for one answer each, by the request that they are about."""
        self._on_end: dict[int, Callable[[], None]] = {}
        self._next_id = 0
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._heard_something = False
        self._hung = False
        self._ended: str | None = None  # how, once nothing will be heard any more
        self.hello: Hello | None = None
        self.ready: Ready | None = None
        self.served = 0
        """Answers that came to their end."""

    @property
    def pid(self) -> int:
        """The operating system's number for it."""
        return self._process.pid

    @classmethod
    async def spawn(
        cls,
        model: ModelRef,
        cache_dir: Path,
        keys: Collection[str] = (),
        memory_cap_bytes: int | None = None,
    ) -> WorkerProcess:
        """Start the process and tell it what to load. It is of use after `load`.

        keys: variables that the user keeps keys in; the process does not get them. memory_cap_bytes: None: no cap.
        """
        if sys.platform == "win32":
            from edge_models.confinement import windows

            windows.children_die_with_us()
        environment = scrubbed(os.environ, keys)
        try:
            process = await asyncio.create_subprocess_exec(
                *worker_command(), stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
            )
        except OSError as error:
            raise NoCandidate(
                f"the system refuses to start the model's process ({error.strerror}): close programs, or reinstall Nearloop"
            ) from error
        worker = cls(process, memory_cap_bytes)
        worker._send(Load(model, str(cache_dir), memory_cap_bytes))
        return worker

    async def load(self, on_progress: Callable[[Loading], None]) -> Ready:
        """Wait until the model is loaded. Raises NoCandidate if it can't be, WorkerLost if the process died."""
        while True:
            event = await self._receive()
            match event:
                case Hello(protocol=protocol):
                    if protocol != PROTOCOL:
                        raise NoCandidate(f"the worker speaks protocol {protocol}, not {PROTOCOL}: reinstall Nearloop")
                    self.hello = event
                case Loading():
                    on_progress(event)
                case Ready():
                    self.ready = event
                    return event
                case Failed(message=message):
                    raise NoCandidate(message)
                case None:
                    raise WorkerLost(await self.epitaph("while it loaded"), RESTART_HINT_S)

    async def serve(self, closing: Callable[[], None] = lambda: None) -> None:
        """Hand events to those who wait for them, until the process ends; then tell everybody.

        closing: called before anybody is told, so that no slot that is given back leads to this worker again.
        """
        reason = "in mid-answer"
        while (event := await self._receive()) is not None:
            match event:
                case Batch(events=events):
                    for item in events:
                        self._deliver(item.id, item)
                case Started(id=id):
                    self._deliver(id, event)
                case Scored(id=id) | Counted(id=id):
                    self._settle(id, event)
                case Failed(id=None, message=message):
                    reason = f"because {message}"
                case Failed(id=int(id)):
                    if not self._settle(id, _provider_error(event)):
                        self._deliver(id, _provider_error(event))
        closing()
        self._ended = await self.epitaph(reason)
        for inbox in self._inboxes.values():
            inbox.put_nowait(WorkerLost(self._ended, RESTART_HINT_S))
        for id in list(self._questions):
            while self._settle(id, WorkerLost(self._ended, RESTART_HINT_S)):
                pass

    async def watch(self, stall_s: float = STALL_S, load_stall_s: float = LOAD_STALL_S) -> None:
        """End the process if it should say something and does not, be it stopped or caught in a loop. Returns at its end."""
        quiet = 0.0
        while self._process.returncode is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), stall_s / LOOKS)
            asked = self.ready is None or self._inboxes or self._questions
            quiet = 0.0 if self._heard_something or not asked else quiet + stall_s / LOOKS
            self._heard_something = False
            if quiet >= (load_stall_s if self.ready is None else stall_s) and self._process.returncode is None:
                self._hung = True
                self._process.kill()
                return

    async def read_stderr(self) -> None:
        """Drain what the engine prints. Lines are kept only while the model loads: later ones could hold users' words."""
        assert self._process.stderr
        rest = b""
        while chunk := await self._process.stderr.read(_STDERR_BYTES):
            *lines, rest = (rest + chunk)[-_STDERR_BYTES:].split(b"\n")
            self._heard(lines)
        if rest:
            self._heard([rest])

    def _heard(self, lines: list[bytes]) -> None:
        for line in lines:
            text = line.decode(errors="replace").rstrip()
            self._complained_of_memory = self._complained_of_memory or out_of_memory.sounds_like_it(text)
            if self.ready is None:
                self._stderr.append(text)

    async def epitaph(self, when: str) -> str:
        """In words, how the process ended."""
        try:
            async with asyncio.timeout(STOP_S):
                code = await self._process.wait()
        except TimeoutError:
            code = None
        how = (
            "said nothing any more and was ended"
            if self._hung
            else "is still running"
            if code is None
            else f"ended by signal {-code}"
            if code < 0
            else f"ended with status {code}"
        )
        last = f"; its last line: {self._stderr[-1]}" if self._stderr and self.ready is None else ""
        why = self._for_lack_of_memory(code)
        return f"the model's process {how} {when}{last}{why}. It is started again by itself: ask once more"

    def _for_lack_of_memory(self, code: int | None) -> str:
        """What there is to say about memory as the cause of its end."""
        if self._complained_of_memory:
            return f": {out_of_memory.told(self.memory_cap_bytes)}"
        if code == -KILLED and machine_memory.oom_kills() > self._oom_kills:
            return f": the system ends processes for lack of memory just now; {out_of_memory.told(None)}"
        return ""

    async def generate(
        self, prompt: Prompt, sampling: Sampling, ended: Callable[[], None] = lambda: None, tool_choice: str = "auto"
    ) -> AsyncGenerator[_Heard, None]:
        """One request. Closing the generator cancels it within one token. Raises ProviderError.

        ended: called as soon as the worker is done with it, however far the reader is. With `sampling.keep`, its context
        stays for `score` until the generator is closed.
        """
        if self._ended:  # between its end and the pool's notice of it
            raise WorkerLost(self._ended, RESTART_HINT_S)
        id = self._next_id = self._next_id + 1
        inbox = self._inboxes[id] = asyncio.Queue()
        self._on_end[id] = ended
        over = False
        try:
            self._send(Start(id, prompt, sampling, tool_choice))
            while not over:
                event = await inbox.get()
                over = isinstance(event, ProviderError | End)
                if isinstance(event, ProviderError):
                    raise event
                self.served += isinstance(event, End)
                yield event
        finally:
            del self._inboxes[id], self._on_end[id]
            if not over or sampling.keep:
                self._send(Cancel(id))

    async def score(self, id: int, continuations: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Log-probabilities of what might follow a request that runs or was kept. Raises ProviderError.

        id: of its Started event.
        """
        answer = await self._asked(Score(id, continuations))
        assert isinstance(answer, Scored)
        return answer.logprobs

    async def count(self, prompt: Prompt) -> int:
        """How many tokens a prompt is, rendered by the model's template; more than its window, too. Raises ProviderError."""
        id = self._next_id = self._next_id + 1
        answer = await self._asked(Count(id, prompt))
        assert isinstance(answer, Counted)
        return answer.prompt_tokens

    async def _asked(self, question: Score | Count) -> Scored | Counted:
        if self._ended:
            raise WorkerLost(self._ended, RESTART_HINT_S)
        self._send(question)
        answer: asyncio.Future[Scored | Counted] = asyncio.get_running_loop().create_future()
        self._questions.setdefault(question.id, deque()).append(answer)
        return await answer

    def end_all(self, why: str) -> None:
        """End every request in flight with an error that says why."""
        for id in list(self._inboxes):
            self._deliver(id, Unreachable(why, RESTART_HINT_S))

    async def stop(self) -> None:
        """Close its input, which ends it; kill it if that does not."""
        if self._process.stdin and not self._process.stdin.is_closing():
            self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _send(self, command: Command) -> None:
        assert self._process.stdin
        if not self._process.stdin.is_closing():
            try:
                self._process.stdin.write(frame(command))
            except ValueError as error:
                raise Unsupported("messages", "the request is too large for a local model: send less") from error

    async def _receive(self) -> Event | None:
        assert self._process.stdout
        try:
            header = await self._process.stdout.readexactly(HEADER_BYTES)
            event = decode_event(await self._process.stdout.readexactly(body_length(header)))
            self._heard_something = True
            return event
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except ValueError:  # not our protocol (msgspec's errors are ValueErrors): nothing more can be understood
            self._process.kill()
            return None

    def _settle(self, id: int, answer: Scored | Counted | ProviderError) -> bool:
        """Answer the oldest question about a request. Returns whether there was one."""
        waiting = self._questions.get(id)
        if not waiting:
            return False
        future = waiting.popleft()
        if not waiting:
            del self._questions[id]
        if not future.done():  # whoever asked may have gone
            if not isinstance(answer, ProviderError):
                future.set_result(answer)
            else:
                future.set_exception(answer)
        return True

    def _deliver(self, id: int, event: _Heard | ProviderError) -> None:
        if inbox := self._inboxes.get(id):
            inbox.put_nowait(event)
            if isinstance(event, End | ProviderError):
                self._on_end[id]()


def _provider_error(failed: Failed) -> ProviderError:
    match failed.kind:
        case "ContextTooLong":
            prompt_tokens, context_tokens = failed.numbers
            return ContextTooLong(prompt_tokens, context_tokens)
        case "BadPrompt":
            return Unsupported("messages", failed.message)
        case "BadSchema":
            return Unsupported("schema", failed.message)
        case _:
            return BadAnswer(failed.message)

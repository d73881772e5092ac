"""An encoder in a worker process, used as if it were here: the same contracts, and a crash costs the worker only.

A call has its time; a worker that is late, dies or breaks the protocol is ended, and the call raises Broken. The next
call opens the encoder anew, so one bad text costs one answer. Calls come one at a time; who has to wait, waits.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from edge_models.classifiers.base import Described, EncoderRef, Span
from edge_models.confined_process import ConfinedProcess
from edge_models.encoder_ipc import (
    Ask,
    EncoderEvent,
    Open,
    Opened,
    Rows,
    Spans,
    decode_event,
    frame,
    matrix_of,
)
from edge_models.engines.base import Broken, EngineError, NotInstalled, TextTooLong, Unavailable, Unseen
from edge_models.ipc import PROTOCOL, Failed, Hello
from edge_models.pooling import Floats

OPEN_TIMEOUT_S: Final = 60.0
"""An encoder of 90 MB takes 1 s on two cores with its process's start (measured); of 1 GB, on a slow disk, a minute."""
CALL_TIMEOUT_S: Final = 30.0
"""MiniLM reads 512 tokens in 20 ms and so 30 s are some 700,000 tokens, a long book (measured, computed)."""
CAP_FACTOR: Final = 4
"""Runtimes unpack and repack weights. MiniLM (87 MB) in OpenVINO took 313 MB of what is counted, in all (measured)."""
CAP_ROOM_BYTES: Final = 1 << 30
"""The interpreter, a runtime, and what a long text takes: attention over 512 tokens, for every window."""
CAP_CORE_BYTES: Final = 16 << 20
"""Each thread of a runtime has a stack of 8 MB, and arenas."""
_FAILURES: Final[dict[str, Callable[[str], EngineError]]] = {"TextTooLong": TextTooLong, "Unseen": Unseen}
"""Of one call; any other is a Broken. What Unseen is made of is its code."""
_KINDS: Final[dict[str, type[EngineError]]] = {"NotInstalled": NotInstalled, "Unavailable": Unavailable}


def encoder_worker_command() -> list[str]:
    """How this very installation starts a worker: by module, or by the frozen program's own entry point."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "encoder-worker"]
    return [sys.executable, "-m", "edge_models.encoder_worker"]


def memory_cap(ref: EncoderRef) -> int:
    """What the worker of an encoder may take at most, in bytes: by the size of its files."""
    try:
        files = [file.stat().st_size for file in Path(ref.directory).iterdir() if file.is_file()]
    except OSError:
        files = []  # the worker tells what is wrong with them
    return CAP_FACTOR * sum(files) + CAP_ROOM_BYTES + CAP_CORE_BYTES * (os.cpu_count() or 1)


class EncoderProcess:
    """One encoder, opened when it is made: all contracts of `edge_models.classifiers.base`.

    Asking for what its task isn't raises Unavailable.
    """

    def __init__(
        self,
        ref: EncoderRef,
        open_timeout_s: float = OPEN_TIMEOUT_S,
        call_timeout_s: float = CALL_TIMEOUT_S,
        memory_cap_bytes: int | None = None,
        keys: Collection[str] = (),
    ) -> None:
        """memory_cap_bytes: None: by the size of its files. keys: variables that hold keys; its process does not get them.

        Raises NotInstalled, Unavailable.
        """
        self._ref = ref
        self._keys = tuple(keys)
        self._memory_cap_bytes = memory_cap_bytes or memory_cap(ref)
        self.confinement: tuple[str, ...] = ()
        self._open_timeout_s = open_timeout_s
        self._call_timeout_s = call_timeout_s
        self._turn = threading.Lock()
        self._worker: ConfinedProcess[EncoderEvent] | None = None
        self._last_id = 0
        self.about = self._open()

    @property
    def pid(self) -> int | None:
        """The operating system's number for its process, None between a death and the next call."""
        worker = self._worker
        return worker.process.pid if worker else None

    def predict(self, texts: tuple[str, ...]) -> Floats:
        self._check("text-classification")
        return self._matrix(len(texts), self._ask(texts))

    def embed(self, texts: tuple[str, ...]) -> Floats:
        self._check("feature-extraction")
        return self._matrix(len(texts), self._ask(texts))

    def judge(self, pairs: tuple[tuple[str, str], ...]) -> Floats:
        self._check("entailment")
        return self._matrix(len(pairs), self._ask((), pairs))

    def embed_pictures(self, pictures: tuple[bytes, ...]) -> Floats:
        self._check("zero-shot-image-classification")
        return self._matrix(len(pictures), self._ask((), pictures=pictures))

    def embed_texts(self, texts: tuple[str, ...]) -> Floats:
        self._check("zero-shot-image-classification")
        return self._matrix(len(texts), self._ask(texts))

    def spans(self, texts: tuple[str, ...]) -> tuple[tuple[Span, ...], ...]:
        self._check("token-classification")
        answer = self._ask(texts)
        if not isinstance(answer, Spans) or len(answer.found) != len(texts):
            raise self._lost("broke the protocol")
        return answer.found

    def close(self) -> None:
        with self._turn:
            self._end()

    def _check(self, task: str) -> None:
        if self._ref.task != task:
            raise Unavailable(f"this encoder does {self._ref.task}: open another one for {task}")

    def _matrix(self, count: int, answer: EncoderEvent) -> Floats:
        try:
            if isinstance(answer, Rows):
                return matrix_of(answer, count, self.about.width)
        except ValueError:
            pass
        raise self._lost("broke the protocol")

    def _ask(
        self, texts: tuple[str, ...], pairs: tuple[tuple[str, str], ...] = (), pictures: tuple[bytes, ...] = ()
    ) -> EncoderEvent:
        with self._turn:
            if self._worker and self._worker.process.poll() is not None:
                self._end()  # it died while it had nothing to do
            if self._worker is None:
                self.about = self._open()
            assert self._worker
            self._last_id += 1
            try:
                self._worker.say(frame(Ask(self._last_id, texts, self._call_timeout_s, pairs, pictures)))
            except ValueError as error:
                raise Broken("the inputs are larger than a worker takes: ask for fewer at once") from error
            answer = self._worker.hear(self._call_timeout_s)
            if isinstance(answer, Failed) and answer.id == self._last_id:
                raise _FAILURES.get(answer.kind, Broken)(answer.message)
            if isinstance(answer, Rows | Spans) and answer.id == self._last_id:
                return answer
            if isinstance(answer, Failed) and answer.id is None:  # its last words
                self._end()
                raise Broken(answer.message)
            raise self._lost(f"ended in mid-answer or took over {self._call_timeout_s:g} s")

    def _open(self) -> Described:
        worker = self._worker = ConfinedProcess(encoder_worker_command(), decode_event, self._keys, "encoder")
        worker.say(frame(Open(self._ref, self._open_timeout_s, self._memory_cap_bytes)))
        match worker.hear(self._open_timeout_s):
            case Hello(protocol=protocol) as hello if protocol == PROTOCOL:
                self.confinement = hello.confinement
                event = worker.hear(self._open_timeout_s)
            case event:
                pass
        if isinstance(event, Opened):
            return event.about
        self._end()
        if isinstance(event, Failed):
            raise _KINDS.get(event.kind, Unavailable)(event.message)
        raise Unavailable(
            f"the encoder's process ended or took over {self._open_timeout_s:g} s while it read the model: its files are"
            " damaged, fetch it again"
        )

    def _lost(self, how: str) -> Broken:
        self._end()
        return Broken(f"the encoder's process {how}; it is started anew for the next text")

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker:
            worker.end()

"""The eyes in a process of their own, used as if they were here: a picture that kills them costs one look.

A call has its time; a worker that is late, dies or breaks the protocol is ended, and the call raises Unseeable with a code
that says so. It is started when there is something to look at, and anew after a death. Calls come one at a time; who has to
wait, waits.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Collection
from time import monotonic
from typing import Final, Literal

from edge_models.confined_process import ConfinedProcess
from edge_models.engines.base import EngineError, NotInstalled, Unavailable
from edge_models.ipc import PROTOCOL, Failed, Hello
from edge_models.vision.ipc import (
    ALL,
    Event,
    Look,
    Looked,
    Open,
    Opened,
    Paint,
    Painted,
    Unseen,
    Want,
    decode_event,
    frame,
)
from edge_models.vision.limits import BROKEN, CRASHED, LATE, OUT_OF_MEMORY, TOO_LARGE, USUAL, Limits, Unseeable
from edge_models.vision.seen import Box, Seen

OPEN_TIMEOUT_S: Final = 60.0
"""Two networks of 31 MB take 1 s on two cores with their process's start (measured)."""
CALL_TIMEOUT_S: Final = 60.0
"""A page of 40 full lines takes 4 s on two cores (measured); a document has several."""
MEMORY_CAP_BYTES: Final = 3 << 30
"""Four frames of 50 million pixels have 600 MB, the networks 300 MB, what they hold of one picture 500 MB (computed)."""
MOST_THREADS: Final = 4
_KINDS: Final[dict[str, type[EngineError]]] = {"NotInstalled": NotInstalled, "Unavailable": Unavailable}


def worker_command() -> list[str]:
    """How this very installation starts a worker: by module, or by the frozen program's own entry point."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "eyes-worker"]
    return [sys.executable, "-m", "edge_models.vision.worker"]


class EyesProcess:
    """One worker, there while there is something to look at."""

    def __init__(
        self,
        limits: Limits = USUAL,
        call_timeout_s: float = CALL_TIMEOUT_S,
        memory_cap_bytes: int = MEMORY_CAP_BYTES,
        keys: Collection[str] = (),
        threads: int | None = None,
    ) -> None:
        """keys: variables that hold keys; its process does not get them. threads: None: one a core, up to 4."""
        self._limits = limits
        self._call_timeout_s = call_timeout_s
        self._memory_cap_bytes = memory_cap_bytes
        self._keys = tuple(keys)
        self._threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
        self._turn = threading.Lock()
        self._worker: ConfinedProcess[Event] | None = None
        self._last_id = 0
        self._used = monotonic()
        self.able: frozenset[Want] = frozenset()
        self.confinement: tuple[str, ...] = ()

    @property
    def pid(self) -> int | None:
        """The operating system's number for its process; None while there is none."""
        worker = self._worker
        return worker.process.pid if worker else None

    def look(self, data: bytes, wants: Collection[Want] = ALL) -> Seen:
        """Look at a file. Raises Unseeable, NotInstalled, Unavailable."""
        with self._turn:
            answer = self._ask(Look(self._next_id(), data, frozenset(wants), self._call_timeout_s), len(data))
        if isinstance(answer, Looked):
            return answer.seen
        raise Unseeable(CRASHED)

    def paint(
        self,
        data: bytes,
        boxes: Collection[Box] = (),
        max_side: int | None = None,
        form: Literal["jpeg", "png"] | None = None,
    ) -> Painted:
        """Make a picture anew, with boxes painted over: its pixels and nothing else.

        Raises Unseeable, NotInstalled, Unavailable.
        """
        with self._turn:
            ask = Paint(self._next_id(), data, tuple(boxes), max_side, form, self._call_timeout_s)
            answer = self._ask(ask, len(data))
        if isinstance(answer, Painted):
            return answer
        raise Unseeable(CRASHED)

    def end_if_idle(self, idle_s: float) -> bool:
        """End its process if it was not used for so long and isn't now. Whether there is none any more."""
        if not self._turn.acquire(blocking=False):
            return False
        try:
            if monotonic() - self._used >= idle_s:
                self._end()
            return self._worker is None
        finally:
            self._turn.release()

    def close(self) -> None:
        """End its process at once, whatever it does: who waits for it hears that it is gone."""
        worker = self._worker
        if worker:
            worker.process.kill()
        with self._turn:
            self._end()

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _ask(self, ask: Look | Paint, size_bytes: int) -> Event:
        if size_bytes > self._limits.size_bytes:
            raise Unseeable(TOO_LARGE)
        opened = self._worker
        try:
            return self._answered(ask)
        except Unseeable as error:
            if error.code != OUT_OF_MEMORY:
                raise
            self._end()  # what fills it would keep it from the next picture as well
            if opened is None:
                raise  # a new one had room for nothing else
            return self._answered(ask)
        finally:
            self._used = monotonic()

    def _answered(self, ask: Look | Paint) -> Event:
        if self._worker and self._worker.process.poll() is not None:
            self._end()  # it died while it had nothing to do
        if self._worker is None:
            self._open()
        assert self._worker
        until = monotonic() + self._call_timeout_s
        self._worker.say(frame(ask))
        match self._worker.hear(self._call_timeout_s):
            case Unseen(id=id, code=code) if id == ask.id:
                raise Unseeable(code)
            case Failed(id=id, kind=kind) if id == ask.id:
                raise Unseeable(OUT_OF_MEMORY if kind == "OutOfMemory" else BROKEN)
            case (Looked(id=id) | Painted(id=id)) as answer if id == ask.id:
                return answer
            case Failed(id=None, kind="OutOfMemory"):  # its last words
                self._end()
                raise Unseeable(OUT_OF_MEMORY)
        self._end()
        raise Unseeable(LATE if monotonic() >= until else CRASHED)

    def _open(self) -> None:
        worker = self._worker = ConfinedProcess(worker_command(), decode_event, self._keys, "eyes")
        worker.say(frame(Open(OPEN_TIMEOUT_S, self._memory_cap_bytes, self._limits, self._threads)))
        event = worker.hear(OPEN_TIMEOUT_S)
        if isinstance(event, Hello) and event.protocol == PROTOCOL:
            self.confinement = event.confinement
            event = worker.hear(OPEN_TIMEOUT_S)
        if isinstance(event, Opened):
            self.able = event.able
            return
        self._end()
        if isinstance(event, Failed):
            raise _KINDS.get(event.kind, Unavailable)(event.message)
        raise Unavailable("what looks at pictures ended while it was opened: install Nearloop again")

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker:
            worker.end()

"""The owner's end of a worker that reads what nobody vouches for: its process, what it is told and what it says.

The kernel ends a worker with the thread that started it (Linux), and whoever calls may be a thread that ends soon. So the
thread that listens to a worker starts it: it lives as long as there is something to hear.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from typing import Final, Generic, TypeVar

from edge_models.confinement.environment import scrubbed
from edge_models.engines.base import Unavailable
from edge_models.pipes import bodies

GRACE_S: Final = 1.0
"""How long after its time a worker may take to end itself, before it is killed."""
Event = TypeVar("Event")


class ConfinedProcess(Generic[Event]):
    """One worker and the thread that starts it and reads what it says."""

    def __init__(
        self, command: list[str], decode: Callable[[bytes], Event], keys: Collection[str] = (), name: str = "worker"
    ) -> None:
        """keys: variables that hold keys; the process does not get them. name: of its thread. Raises Unavailable."""
        self._command, self._decode = command, decode
        self._environment = scrubbed(os.environ, keys)
        self._heard: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        started: Future[subprocess.Popen[bytes]] = Future()
        self._reader = threading.Thread(target=self._live, args=(started,), name=name, daemon=True)
        self._reader.start()
        try:
            self.process = started.result()
        except OSError as error:
            raise Unavailable("the system refuses to start a worker's process: close programs") from error

    def _live(self, started: Future[subprocess.Popen[bytes]]) -> None:
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )
        except OSError as error:
            started.set_exception(error)
            return
        started.set_result(process)
        assert process.stdout
        # what is not our protocol is no more understood (msgspec's errors are ValueErrors)
        with suppress(OSError, ValueError):
            for body in bodies(process.stdout):
                self._heard.put(self._decode(body))
        self._heard.put(None)

    def say(self, frame: bytes) -> None:
        """That nobody listens is noticed by `hear`."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.write(frame)
            self.process.stdin.flush()

    def hear(self, timeout_s: float) -> Event | None:
        """The next event; None if the worker is dead or says nothing in time."""
        try:
            return self._heard.get(timeout=timeout_s + GRACE_S)
        except queue.Empty:
            return None

    def end(self) -> None:
        """Kill it and take its pipes down."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()

"""Models that are being fetched, each by our own command in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.errors import BadRequest, NotFound
from daemon.events import EventRing
from daemon.own_command import command, lines
from daemon.wire import Fetch

Started = Callable[..., list[str]]
MOST: Final = 4
"""Models that are fetched at once: more would only share the same line."""


class _Line(Struct, frozen=True):
    """Progress, as the command prints it."""

    status: str
    completed: int = 0
    total: int | None = None


_decode: Final = msgspec.json.Decoder(_Line).decode


class Fetches:
    """Enter `running` to have models fetched; leaving it ends what is on its way, which goes on when it is asked for again.

    started: how one of our commands is started.
    """

    def __init__(self, events: EventRing, started: Started = command) -> None:
        self._events = events
        self._started = started
        self._known: dict[str, Fetch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Fetch until the block ends."""
        async with asyncio.TaskGroup() as self._group:
            try:
                yield
            finally:
                self._group = None
                for task in self._tasks.values():
                    task.cancel()

    @property
    def known(self) -> tuple[Fetch, ...]:
        """How each one stands that was asked for."""
        return tuple(self._known.values())

    def begin(self, model: str, file: str | None) -> Fetch:
        """Fetch a model; `fetch` events tell of it. Raises BadRequest."""
        if model in self._tasks:
            raise BadRequest(f"{model} is being fetched already", "model")
        if len(self._tasks) >= MOST:
            raise BadRequest(f"{MOST} models are being fetched already: ask again when one is here", "model")
        if self._group is None:
            raise BadRequest("the daemon is stopping: ask again when it is up")
        started_by = self._started("models", "pull", "--json", "--", model, *([file] if file else []))
        self._tell(Fetch(model, "running"))
        self._tasks[model] = self._group.create_task(self._fetch(model, started_by), name=f"fetch {model}")
        return self._known[model]

    def stop(self, model: str) -> None:
        """End it; what came is kept. Raises NotFound."""
        if model not in self._tasks:
            raise NotFound(f"{model} is not being fetched")
        self._tasks[model].cancel()

    async def _fetch(self, model: str, started_by: list[str]) -> None:
        try:
            async with aclosing(lines(started_by)) as told:
                async for said in told:
                    self._tell(_after(self._known[model], said))
            self._tell(replace(self._known[model], state="done", file=None))
        except (BadRequest, OSError) as error:
            self._tell(replace(self._known[model], state="failed", told=str(error)))
        except asyncio.CancelledError:
            self._tell(replace(self._known[model], state="stopped", told="what came is kept"))
        finally:
            del self._tasks[model]

    def _tell(self, fetch: Fetch) -> None:
        self._known[fetch.model] = fetch
        self._events.emit("fetch", fetch)


def _after(fetch: Fetch, said: str) -> Fetch:
    """One more line: progress is JSON, the rest is for people."""
    try:
        line = _decode(said)
    except msgspec.DecodeError:
        return replace(fetch, told=said)
    return replace(fetch, file=line.status.removeprefix("pulling "), done_bytes=line.completed, whole_bytes=line.total)

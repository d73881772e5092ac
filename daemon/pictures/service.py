"""Looking at the pictures and files of requests, before anything is decided about them.

Each picture is given to the eyes' process (`edge_models.vision`) by a thread of its own, the newest first, and what is seen
is put into the request. What could not be looked at stays without a sight, and why is told by a code. A look that is late
goes on, so that the next try finds it done; but it does not begin when nobody can be waiting any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from time import monotonic
from typing import Final, Literal, NamedTuple, TypeVar

from msgspec.structs import replace

from daemon.clock import Clock
from daemon.pictures.carried import bytes_of
from daemon.pictures.fetching import Fetching
from daemon.pictures.memory import KEPT_S, Found, Memory
from edge_models.engines.base import EngineError, NotInstalled
from edge_models.vision import models
from edge_models.vision.ipc import Painted, Want
from edge_models.vision.limits import CRASHED, LATE, PICTURES, Unseeable
from edge_models.vision.process import EyesProcess
from edge_models.vision.seen import Box, Seen
from providers.contract import Image, Line, Request, Sight
from providers.texts import Carried, carried, with_carried

TOO_MANY: Final = "too-many"
"""More pictures in one request than are looked at."""
NOT_INSTALLED: Final = "not-installed"
NO_PICTURE: Final = "not-a-picture"
"""Its bytes are another file's."""
IDLE_S: Final = 300.0
_LOOK_S: Final = 30.0
"""How often it is seen to what is idle or too old."""
_STALE_S: Final = 60.0
_AGAIN: Final = frozenset({LATE, CRASHED, NOT_INSTALLED})
"""Codes that say nothing of the picture."""


_Told = TypeVar("_Told")


class Looked(NamedTuple):
    """request: with what was seen. unseen: codes of what could not be looked at. took_ms: both by the picture's path."""

    request: Request
    unseen: Mapping[str, str]
    took_ms: Mapping[str, float]


class Pictures:
    """The eyes, and what they saw of late. eyes: None: nothing is looked at."""

    def __init__(
        self,
        eyes: EyesProcess | None,
        clock: Clock,
        deadline_s: float,
        most: int,
        most_bytes: int,
        fetching: Fetching | None = None,
    ) -> None:
        """deadline_s: how long a request waits. most: pictures of one request that are looked at. fetching: None: those that
        a request only names are not fetched.
        """
        self._fetching = fetching
        self._eyes = eyes
        self._deadline_s = deadline_s
        self._most = most
        self._most_bytes = most_bytes
        self._memory = Memory(clock)
        self._thread = ThreadPoolExecutor(1, "nearloop-eyes")
        self._hashing = ThreadPoolExecutor(1, "nearloop-hashes")
        self._begun: dict[bytes, Future[Found]] = {}
        self.painted = 0
        """Pictures with something painted over."""
        self.boxes = 0
        """What was painted over in them, in all."""

    @property
    def on(self) -> bool:
        """Whether anything is looked at."""
        return self._eyes is not None

    async def look(self, request: Request) -> Looked:
        """Put into a request what is seen of its pictures and files."""
        here = [each for each in carried(request) if each.part.sight is None]
        if self._eyes is None or not here:
            return Looked(request, {}, {})
        began = monotonic()
        until = began + self._deadline_s
        here.reverse()
        unseen = {each.path: TOO_MANY for each in here[self._most :]}
        here = here[: self._most]
        if self._fetching is not None:
            request, not_had = await self._fetching.fetched(request, here, until - monotonic())
            unseen |= not_had
            now = {each.path: each for each in carried(request)}
            here = [now[each.path] for each in here if each.path not in not_had]
        try:
            keys = await asyncio.wrap_future(self._hashing.submit(self._keys, here))
            waits = {each.path: self._begin(key, each.part.url) for each, key in zip(here, keys, strict=True)}
        except RuntimeError:  # closed
            return Looked(request, unseen | {each.path: CRASHED for each in here}, {})
        took_ms: dict[str, float] = {}
        for path, wait in waits.items():
            found = await _within(wait, until - monotonic())
            took_ms[path] = round((monotonic() - began) * 1000, 1)
            part = next(each.part for each in here if each.path == path)
            if isinstance(found, Sight) and isinstance(part, Image) and found.form not in PICTURES:
                unseen[path] = NO_PICTURE  # whoever gets it would take it for one
            elif isinstance(found, Sight):
                request = with_carried(request, {path: replace(part, sight=found)})
            else:
                unseen[path] = str(found)
        return Looked(request, unseen, took_ms)

    async def see(self, data: bytes, wants: Collection[Want] = frozenset({"words", "kinds"})) -> Sight:
        """Look at a picture's bytes, with no memory of it. Raises Unseeable."""
        return sight_of(await self._called(lambda eyes: eyes.look(data, wants)))

    async def paint(
        self,
        data: bytes,
        boxes: Collection[Box] = (),
        max_side: int | None = None,
        form: Literal["jpeg", "png"] | None = None,
    ) -> Painted:
        """Make a picture anew, of its pixels alone, with boxes painted over. Raises Unseeable."""
        made = await self._called(lambda eyes: eyes.paint(data, boxes, max_side, form))
        self.painted += bool(boxes)
        self.boxes += len(boxes)
        return made

    async def bytes_of(self, url: str) -> bytes:
        """What a `data:` URL holds. Raises Unseeable."""
        return await asyncio.wrap_future(self._hashing.submit(bytes_of, url, self._most_bytes))

    def forget_older(self, span: timedelta) -> None:
        """What was seen longer ago."""
        self._memory.forget_older(span)
        if self._fetching is not None:
            self._fetching.forget_older(span)

    async def close_connections(self) -> None:
        """To hosts of pictures."""
        if self._fetching is not None:
            await self._fetching.close()

    async def keep(self) -> None:
        """Forget what is too old and end a process that has nothing to do, until cancelled; then everything."""
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                self.forget_older(timedelta(seconds=KEPT_S - _LOOK_S))
                if self._eyes is not None:
                    await asyncio.to_thread(self._eyes.end_if_idle, IDLE_S)
        finally:
            self.forget_older(timedelta())

    def close(self) -> None:
        """End the process and the threads; who waits hears that nothing was seen."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._hashing.shutdown(wait=False, cancel_futures=True)
        if self._eyes is not None:
            self._eyes.close()

    def _keys(self, here: list[Carried]) -> list[bytes]:
        return [self._memory.key(each.part.url) for each in here]

    def _begin(self, key: bytes, url: str) -> Future[Found]:
        """A look, of which there is one at a time for one picture."""
        if (known := self._memory.find(key)) is not None:
            done: Future[Found] = Future()
            done.set_result(known)
            return done
        if (begun := self._begun.get(key)) is not None:
            return begun
        loop = asyncio.get_running_loop()
        begun = self._begun[key] = self._thread.submit(self._found, url, monotonic() + _STALE_S)

        def ended(wait: Future[Found]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._remember, key, wait)

        begun.add_done_callback(ended)
        return begun

    def _remember(self, key: bytes, wait: Future[Found]) -> None:
        self._begun.pop(key, None)
        if wait.cancelled():
            return
        found = wait.result()
        if isinstance(found, Sight) or found not in _AGAIN:
            self._memory.hold(key, found)

    def _found(self, url: str, until: float) -> Found:
        """What is seen, or a code. Runs in the eyes' thread."""
        if monotonic() >= until:
            return LATE
        if not installed():  # and no process is started to learn it
            return NOT_INSTALLED
        try:
            assert self._eyes is not None
            return sight_of(self._eyes.look(bytes_of(url, self._most_bytes)))
        except Unseeable as error:
            return error.code
        except NotInstalled:
            return NOT_INSTALLED
        except EngineError:
            return CRASHED

    async def _called(self, call: Callable[[EyesProcess], _Told]) -> _Told:
        eyes = self._eyes
        if eyes is None:
            raise Unseeable(NOT_INSTALLED)
        try:
            return await asyncio.wrap_future(self._thread.submit(call, eyes))
        except NotInstalled as error:
            raise Unseeable(NOT_INSTALLED) from error
        except (EngineError, RuntimeError) as error:  # RuntimeError: closed
            raise Unseeable(CRASHED) from error


async def _within(wait: Future[Found], timeout_s: float) -> Found:
    """What comes of it in time. It goes on if it is late."""
    if wait.done() and not wait.cancelled():
        return wait.result()
    try:
        async with asyncio.timeout(max(timeout_s, 0)):
            return await asyncio.shield(asyncio.wrap_future(wait))
    except TimeoutError:
        return LATE


def sight_of(seen: Seen) -> Sight:
    """In the neutral model's shape."""
    lines = tuple(Line(line.start, line.end, line.box, line.sure, line.page) for line in seen.lines)
    return Sight(
        form=seen.form,
        width=seen.width,
        height=seen.height,
        pages=seen.pages,
        text=seen.text,
        lines=lines,
        kinds=seen.kinds,
        things=seen.things,
        explicit=seen.explicit,
        detail=seen.detail,
    )


def installed() -> bool:
    """Whether what looks at pictures is there, as far as that can be told without opening it."""
    return models.there(models.FINDER) is not None

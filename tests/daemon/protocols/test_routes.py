"""The pauses of a stream and the watch over a connection, with no server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from litestar.exceptions import ClientException

from daemon.protocols.routes import unless_hung_up, with_pauses
from providers.contract import BadAnswer, Deltas, Finish, Progress, TextDelta, Usage

NEVER_S = 60.0
END = Finish("stop", Usage(1, 1))


class Source:
    """Deltas that come when the test says so."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Any] = asyncio.Queue()
        self.closed = False
        self.cancelled = False

    async def deltas(self) -> Deltas:
        try:
            while (item := await self.queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        finally:
            self.closed = True

    def put(self, *items: Any) -> None:
        """Deltas, an error to raise, or None for the end."""
        for item in items:
            self.queue.put_nowait(item)


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncGenerator[None, None]:
    """Whatever was started is ended."""
    yield
    assert asyncio.all_tasks() == {asyncio.current_task()}


# ---- with_pauses ----------------------------------------------------------------------------------------------------


async def test_without_a_pause_the_deltas_pass_unchanged(source: Source) -> None:
    """A stream that never pauses is the same with the watch as without it."""
    deltas = [Progress("loading"), TextDelta("a"), TextDelta("b"), END]
    source.put(*deltas, None)

    assert [delta async for delta in with_pauses(source.deltas(), NEVER_S, NEVER_S)] == deltas
    assert source.closed


async def test_a_slow_start_is_a_pause_after_first_s(source: Source) -> None:
    """Before the first delta the first interval counts once, and then the beat."""
    async with aclosing(with_pauses(source.deltas(), 0.01, NEVER_S)) as heard, asyncio.timeout(10):
        assert await anext(heard) is None
        waiting = asyncio.ensure_future(anext(heard))
        assert not (await asyncio.wait({waiting}, timeout=0.1))[0], "the second pause is a beat, not a first interval"
        source.put(TextDelta("a"))
        assert await waiting == TextDelta("a")


async def test_a_later_silence_is_a_pause_every_beat_s(source: Source) -> None:
    """After a delta only the beat counts, again and again, however long the first interval is."""
    async with aclosing(with_pauses(source.deltas(), NEVER_S, 0.01)) as heard, asyncio.timeout(10):
        source.put(TextDelta("a"))
        assert [await anext(heard) for _ in range(4)] == [TextDelta("a"), None, None, None]
        source.put(END, None)
        assert [delta async for delta in heard if delta is not None] == [END]


async def test_no_delta_is_lost_however_often_it_pauses(source: Source) -> None:
    """With intervals as short as they can be, every delta still arrives once and in order."""
    deltas = [TextDelta(str(number)) for number in range(200)]

    async def feed() -> None:
        for number, delta in enumerate(deltas):
            source.put(delta)
            await asyncio.sleep(0.0005 if number % 3 else 0)
        source.put(None)

    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(feed())
        heard = [delta async for delta in with_pauses(source.deltas(), 0, 0)]

    assert [delta for delta in heard if delta is not None] == deltas
    assert None in heard


async def test_an_error_comes_after_what_was_said(source: Source) -> None:
    """An error of the source is raised behind its last delta, also after pauses."""
    source.put(TextDelta("a"), BadAnswer("broke"))
    heard: list[object] = []

    async def listen() -> None:
        async for delta in with_pauses(source.deltas(), 0, 0):
            heard.append(delta)  # a comprehension would lose what came before the error

    with pytest.raises(BadAnswer, match="broke"):
        await listen()

    assert [delta for delta in heard if delta is not None] == [TextDelta("a")]
    assert source.closed


@pytest.mark.parametrize("pause", [False, True])
async def test_closing_it_closes_the_source(source: Source, pause: bool) -> None:
    """Who stops reading stops the source, both in the midst of the words and in the midst of a pause."""
    source.put(TextDelta("a"))
    async with asyncio.timeout(10):
        heard = with_pauses(source.deltas(), NEVER_S, 0.001)
        assert await anext(heard) == TextDelta("a")
        if pause:
            assert await anext(heard) is None

        await heard.aclose()

    assert source.closed
    assert source.cancelled == pause


async def test_cancelling_the_reader_closes_the_source(source: Source) -> None:
    """A reader that is cancelled while it waits takes the source with it."""

    async def read() -> None:
        async with aclosing(with_pauses(source.deltas(), NEVER_S, NEVER_S)) as heard:
            async for _ in heard:
                pass

    reading = asyncio.create_task(read())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    reading.cancel()

    with pytest.raises(asyncio.CancelledError):
        await reading
    assert source.closed


# ---- unless_hung_up -------------------------------------------------------------------------------------------------


class Connection:
    """A client that goes away when told to."""

    def __init__(self, *before: dict[str, Any]) -> None:
        self._before = list(before)
        self.gone = asyncio.Event()
        self.cancelled = False

    async def receive(self) -> Any:
        if self._before:
            return self._before.pop(0)
        try:
            await self.gone.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return {"type": "http.disconnect"}


async def test_the_result_is_the_works() -> None:
    """While the client stays, the work's result is returned, and nobody watches the connection any more."""
    connection = Connection()

    async def work() -> int:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return 7

    assert await unless_hung_up(connection.receive, work()) == 7
    assert connection.cancelled


async def test_the_works_error_passes_through() -> None:
    """An error of the work is raised as it is."""

    async def work() -> None:
        raise BadAnswer("broke")

    with pytest.raises(BadAnswer, match="broke"):
        await unless_hung_up(Connection().receive, work())


@pytest.mark.parametrize("before", [(), ({"type": "http.request", "body": b""},)])
async def test_a_client_that_hangs_up_cancels_the_work(before: tuple[dict[str, Any], ...]) -> None:
    """When the client goes, the work is cancelled before the call returns; what it sent before changes nothing."""
    connection = Connection(*before)
    ended: list[str] = []

    async def work() -> None:
        try:
            connection.gone.set()
            await asyncio.sleep(NEVER_S)
        finally:
            ended.append("cancelled")

    with pytest.raises(ClientException) as caught:
        await unless_hung_up(connection.receive, work())

    assert caught.value.status_code == 499
    assert ended == ["cancelled"]


async def test_a_result_that_is_there_is_kept() -> None:
    """If the work is done in the moment in which the client goes, its result counts."""
    connection = Connection()
    connection.gone.set()

    async def work() -> int:
        return 7

    assert await unless_hung_up(connection.receive, work()) == 7


async def test_cancelling_from_outside_cancels_the_work() -> None:
    """A stop of the daemon takes the work and the watch with it."""
    connection = Connection()
    began, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.sleep(NEVER_S)
        finally:
            ended.set()

    task = asyncio.create_task(unless_hung_up(connection.receive, work()))
    await began.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    assert connection.cancelled


async def test_the_end_of_a_stream_passes_through(source: Source) -> None:
    """A first delta that never comes is the end of the stream, and not an error of the watch."""
    source.put(None)
    async with aclosing(with_pauses(source.deltas(), NEVER_S, NEVER_S)) as heard:
        with pytest.raises(StopAsyncIteration):
            await unless_hung_up(Connection().receive, anext(heard))

"""A streamed answer on its way out, with no server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import pytest

from daemon.surfaces.outgoing import Outgoing, on_one_line

NEVER_S = 60.0
HEAD = [(b"a", b"b")]


class Client:
    """Keeps what it is sent. paused: reads nothing while it is clear."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.reading = asyncio.Event()
        self.reading.set()
        self.news = asyncio.Condition()

    async def send(self, message: Any) -> None:
        await self.reading.wait()
        async with self.news:
            self.messages.append(message)
            self.news.notify_all()

    async def got(self, messages: int) -> None:
        """Wait until so many are there."""
        async with asyncio.timeout(10), self.news:
            await self.news.wait_for(lambda: len(self.messages) >= messages)

    @property
    def frames(self) -> list[bytes]:
        """The bodies' pieces."""
        return [message["body"] for message in self.messages if message["type"] == "http.response.body"]


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncGenerator[None, None]:
    """Whatever was started is ended."""
    yield
    assert asyncio.all_tasks() == {asyncio.current_task()}


def outgoing(client: Client, first_s: float, beat_s: float) -> Outgoing:
    return Outgoing(client.send, lambda: HEAD, lambda: b"beat", first_s, beat_s)


async def test_frames_go_out_as_they_are(client: Client) -> None:
    """The status line comes with the first frame and not before; the last frame closes the body."""
    async with outgoing(client, NEVER_S, NEVER_S) as out:
        assert not out.started
        assert not client.messages
        await out.write(b"1")
        assert out.started
        await out.write(b"2")
        await out.end(b"3")

    assert client.messages == [
        {"type": "http.response.start", "status": 200, "headers": HEAD},
        {"type": "http.response.body", "body": b"1", "more_body": True},
        {"type": "http.response.body", "body": b"2", "more_body": True},
        {"type": "http.response.body", "body": b"3", "more_body": False},
    ]


async def test_a_slow_start_is_one_beat_after_first_s(client: Client) -> None:
    """Before anything is written the first interval counts once, and then the other."""
    async with outgoing(client, 0.01, NEVER_S) as out:
        await client.got(2)
        assert out.started
        await asyncio.sleep(0.1)
        await out.end(b"late")

    assert client.frames == [b"beat", b"late"]


async def test_a_later_silence_is_a_beat_every_beat_s(client: Client) -> None:
    """After a frame the beat counts, again and again."""
    async with outgoing(client, 0.01, 0.01) as out:
        await out.write(b"1")
        await client.got(5)
        await out.end(b"2")

    assert client.frames[0] == b"1"
    assert client.frames[-1] == b"2"
    assert set(client.frames[1:-1]) == {b"beat"}


async def test_busy_writing_needs_no_beat(client: Client) -> None:
    """A stream that never pauses has no heartbeat in it."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with outgoing(client, 0.001, 0.5) as out:
        await out.write(b"1")
        while loop.time() - began < 0.6:
            await out.write(b"1")
            await asyncio.sleep(0.001)
        await out.end(b"2")

    assert b"beat" not in client.frames


async def test_no_frame_is_lost_or_split_by_a_beat(client: Client) -> None:
    """With intervals as short as they can be and a client that stops and goes, every frame arrives once and in order."""
    frames = [str(number).encode() for number in range(200)]
    async with outgoing(client, 0, 0) as out:
        for number, frame in enumerate(frames):
            if number % 10 == 0:
                client.reading.clear()
                asyncio.get_running_loop().call_later(0.002, client.reading.set)
            await out.write(frame)
        await out.end(b"")

    assert [frame for frame in client.frames if frame not in (b"beat", b"")] == frames
    assert b"beat" in client.frames
    assert [message["type"] for message in client.messages].count("http.response.start") == 1
    assert client.messages[0]["type"] == "http.response.start"


async def test_nothing_follows_the_end(client: Client) -> None:
    """A heartbeat that waits for a slow client is not sent after the last frame."""
    async with outgoing(client, 0, 0) as out:
        await client.got(2)
        client.reading.clear()
        await asyncio.sleep(0.01)
        ending = asyncio.create_task(out.end(b"last"))
        await asyncio.sleep(0.01)
        client.reading.set()
        await ending

    assert client.messages[-1] == {"type": "http.response.body", "body": b"last", "more_body": False}


async def test_a_burst_is_sent_in_parts(client: Client) -> None:
    """The event loop gets a turn after the first frame, so that it is on its way while the rest is written."""
    turns: list[int] = []
    async with outgoing(client, NEVER_S, NEVER_S) as out:
        asyncio.get_running_loop().call_soon(lambda: turns.append(len(client.frames)))
        await out.write(b"1")
        await out.write(b"2")
        await out.end(b"")

    assert turns == [1]


def test_a_frame_has_no_line_ends_but_its_own() -> None:
    """Readers of text lines split at more than CR and LF: in JSON those are escapes, and mean the same. Others stay."""
    words = "a\u0085b\u2028c\u2029d ä – 😀 \u2027 \x0b\x1c"
    frame = b"data: " + msgspec.json.encode({"t": words}) + b"\n\n"

    written = on_one_line(frame)

    assert len(written.decode().splitlines()) == 2
    assert msgspec.json.decode(written[6:]) == {"t": words}
    assert "ä – 😀 \u2027".encode() in written

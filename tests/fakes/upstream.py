"""A provider's server on loopback: it answers what the test wrote, to the byte, and keeps each byte that it was sent."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Struct, field

WAIT_S: Final = 10.0


class Pause(Struct, frozen=True):
    """Say nothing for a while; None: until the client is gone."""

    seconds: float | None = None


class Cut(Struct, frozen=True):
    """Drop the connection, in the middle of whatever it is."""


Piece = bytes | Pause | Cut


class Answer(Struct, frozen=True):
    """One answer. Each piece of bytes is one HTTP chunk. raw: the pieces are everything, with no HTTP around them."""

    pieces: tuple[Piece, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    raw: bool = False


class Received(Struct, frozen=True):
    """One request as it came. connection: which one of the server's, from 0."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def frames(*values: Any, done: bool = True) -> tuple[bytes, ...]:
    """`data:` frames of OpenAI's kind, one for each value, and the end mark."""
    written = [b"data: " + json.dumps(value).encode() + b"\n\n" for value in values]
    return (*written, b"data: [DONE]\n\n") if done else tuple(written)


def said(text: str, reason: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk that says words."""
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}], **more}


USAGE: Final = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}
HELLO: Final = Answer(frames(said("Hel"), said("lo"), said("", "stop"), USAGE))


def as_json(value: Any, status: int = 200, **headers: str) -> Answer:
    """A whole JSON body."""
    named = {name.replace("_", "-"): content for name, content in headers.items()}
    return Answer((json.dumps(value).encode(),), status, {"content-type": "application/json", **named})


def packed(answer: Answer) -> Answer:
    """The same, packed with gzip."""
    body = gzip.compress(b"".join(piece for piece in answer.pieces if isinstance(piece, bytes)))
    return Answer((body,), answer.status, {**answer.headers, "content-encoding": "gzip"})


class Upstream:
    """The server. `answers` are given in order; the last one is repeated."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [HELLO]
        self.requests: list[Received] = []
        self.bytes = bytearray()
        self.connections = 0
        self.hung_up = asyncio.Event()
        self.port = 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        """As settings would have it."""
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        number, self.connections = self.connections, self.connections + 1
        try:
            while (request := await self._request(reader, number)) is not None:
                self.requests.append(request)
                if not await self._answer(self.choose(request), reader, writer):
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            writer.close()

    def choose(self, request: Received) -> Answer:
        """What to say to the request that just came."""
        return self.answers[min(len(self.requests), len(self.answers)) - 1]

    async def _request(self, reader: asyncio.StreamReader, connection: int) -> Received | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            self.bytes += error.partial
            return None
        self.bytes += head
        first, *lines = head.decode("latin-1").split("\r\n")[:-2]
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.bytes += body
        return Received(method, path, headers, body, connection)

    async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Write it; False if the connection ends with it."""
        if not answer.raw:
            head = [f"HTTP/1.1 {answer.status} Whatever", "transfer-encoding: chunked"]
            head += [f"{name}: {value}" for name, value in answer.headers.items()]
            writer.write("\r\n".join([*head, "", ""]).encode())
        for piece in answer.pieces:
            match piece:
                case bytes() if piece:
                    writer.write(piece if answer.raw else b"%x\r\n%b\r\n" % (len(piece), piece))
                    await writer.drain()
                    await asyncio.sleep(0)
                case Pause(seconds=seconds):
                    if await self._gone(reader, seconds):
                        self.hung_up.set()
                        return False
                case Cut():
                    writer.transport.abort()
                    return False
        if not answer.raw:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return not answer.raw

    async def _gone(self, reader: asyncio.StreamReader, seconds: float | None) -> bool:
        """Whether the client hangs up within the time."""
        try:
            async with asyncio.timeout(WAIT_S if seconds is None else seconds):
                return not await reader.read(1)
        except TimeoutError:
            return False
        except ConnectionError:
            return True


Served = TypeVar("Served", bound=Upstream)


@asynccontextmanager
async def upstream(*answers: Answer, tls: ssl.SSLContext | None = None) -> AsyncIterator[Upstream]:
    """A server that runs meanwhile."""
    async with serving(Upstream(*answers), tls) as served:
        yield served


@asynccontextmanager
async def serving(served: Served, tls: ssl.SSLContext | None = None) -> AsyncIterator[Served]:
    """The same of one that was made already."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with suppress(asyncio.CancelledError):  # the end of the test
            await served.serve(reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    served.port = server.sockets[0].getsockname()[1]
    served.scheme = "https" if tls else "http"
    try:
        yield served
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def certificate(folder: Path, subject: str = "/CN=test") -> tuple[ssl.SSLContext, Path]:
    """A server's TLS for 127.0.0.1, signed by itself, and the CA file that a client needs to trust it."""
    folder.mkdir(parents=True, exist_ok=True)
    key, cert = folder / "key.pem", folder / "ca.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-utf8", "-subj", subject, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key),
         "-out", str(cert)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, cert


@contextmanager
def on_a_thread(*answers: Answer) -> Iterator[Upstream]:
    """The same for a test that has no event loop, on a thread of its own."""
    with serving_on_a_thread(Upstream(*answers)) as served:
        yield served


@contextmanager
def serving_on_a_thread(made: Served) -> Iterator[Served]:
    """The same of one that was made already."""
    started, stop = threading.Event(), threading.Event()

    async def serve() -> None:
        async with serving(made):
            started.set()
            while not stop.is_set():
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait(10)
    try:
        yield made
    finally:
        stop.set()
        thread.join(10)

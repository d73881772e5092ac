"""One handler for all codecs: a body goes in, the corridor's answer goes out.

Theory of operation. The first delta is awaited up to `first_s` before the status line goes out, so an error until then is
an HTTP status and afterwards a frame. From then on a heartbeat goes out whenever nothing was said for a while, since
clients and proxies give up on silent connections. A client that hangs up ends the work.

The handlers are plain ASGI: they take the body that the guard read and write their own frames, which spares each request
a tenth of the daemon's time, and each delta a task.
"""

from __future__ import annotations

import math
from contextlib import aclosing
from typing import Any, Final

from litestar import asgi
from litestar.exceptions import MethodNotAllowedException
from litestar.types import HTTPScope, Receive, Send
from msgspec.structs import replace

from daemon.boundary.reduction.request import Reduction
from daemon.pipeline import Visit
from daemon.protocols.base import Codec, Problem, Writer
from daemon.protocols.errors import problem
from daemon.surfaces import vsr
from daemon.surfaces.arriving import arrived
from daemon.surfaces.hang_up import HungUp, Watch
from daemon.surfaces.loading import have_ready
from daemon.surfaces.outgoing import Outgoing
from daemon.surfaces.served import Served
from providers.contract import Choice, NoAnswer, Progress, Response, Usage, fold

_NOTHING: Final = Response((Choice((), "stop"),), Usage(0, 0))


def answering(codec: Codec, served: Served, path: str | None = None) -> Any:
    """The handler at a codec's address. path: another address of the same."""
    turns = served.turns if codec.HABITS.come_back else None

    @asgi(path or codec.PATH, name=path or codec.NAME, opt={"protocol": codec.NAME}, copy_scope=False)
    async def answer(scope: HTTPScope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            raise MethodNotAllowedException
        caller, envelope = await arrived(scope, served)
        body = await _body(receive)
        if turns:
            envelope = await turns.recalled(body, envelope)
        asked = codec.read(body, envelope)
        del body  # an answer may take long
        if asked.messages:
            scope["state"]["record"] = envelope.id
        debug = (b"x-vsr-debug", b"true") in scope["headers"]
        visit = served.pipeline.visit(asked, may_cloud=caller.may("infer:cloud"), debug=debug)
        writer = codec.writer(asked, envelope)
        if turns:
            writer = turns.keeping(writer, asked, envelope)
        rooms = served.pipeline.rooms
        try:
            async with Watch(receive):
                if not asked.messages:
                    name = await have_ready(visit, rooms.pool, rooms.wait_s)
                    headers = [(b"x-nearloop-egress", b"none"), *_left_aside(visit, codec)]
                    await _sent(writer.whole(_NOTHING, name), headers, send)
                elif asked.stream:
                    await _streamed(visit, codec, writer, served, send)
                else:
                    await _whole(visit, codec, writer, send)
        except HungUp:
            pass

    return answer


async def _body(receive: Receive) -> bytes:
    """All of it: the guard has read it and gives it in one piece."""
    chunks: list[bytes] = []
    more = True
    while more:
        message: Any = await receive()
        chunks.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(chunks)


def _headers(visit: Visit, codec: Codec) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"x-nearloop-record", visit.request.id.encode()),
        (b"x-nearloop-egress", visit.egress.encode()),
    ]
    if codec.HABITS.id_header:
        headers.append((codec.HABITS.id_header.encode(), visit.request.id.encode()))
    if visit.reduced is not None:
        headers.append((b"x-nearloop-reduced", _taken_out(visit.reduced).encode()))
    if visit.confidence is not None:
        headers.append((b"x-nearloop-confidence", visit.confidence.encode()))
    if visit.dissent is not None:
        headers.append((b"x-nearloop-dissent", visit.dissent.encode()))
    if visit.decision is not None and visit.decision.over_limit:
        headers.append((b"x-nearloop-over-limit", ", ".join(visit.decision.over_limit).encode("ascii", "replace")))
    headers += vsr.headers(visit)
    return headers + _left_aside(visit, codec)


def _taken_out(reduction: Reduction) -> str:
    """By what a request was made to tell less, and how many facts of which kind are gone from it."""
    return "; ".join((reduction.by, ", ".join(f"{kind}={count}" for kind, count in reduction.changes.items())))


def _left_aside(visit: Visit, codec: Codec) -> list[tuple[bytes, bytes]]:
    ignored = (*visit.request.ignored, *map(codec.field, visit.aside))
    return [(b"x-nearloop-ignored", ", ".join(ignored).encode())] if ignored else []


async def _whole(visit: Visit, codec: Codec, writer: Writer, send: Send) -> None:
    async with aclosing(visit.deltas()) as deltas:
        body = writer.whole(await fold(deltas), visit.answered_by)
    await _sent(body, _headers(visit, codec), send)


async def _sent(body: bytes, headers: list[tuple[bytes, bytes]], send: Send) -> None:
    written = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": 200, "headers": written})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _in_words(found: Problem) -> Problem:
    """With when to come back in its message, since no header follows the status line."""
    if found.retry_after_s is None:
        return found
    return replace(found, message=f"{found.message}: try again in {math.ceil(found.retry_after_s)} s")


def _turned_out(visit: Visit, writer: Writer) -> bytes:
    """What no header could say, as a comment, in protocols whose heartbeats are comments, which clients skip."""
    if visit.collapse is None or not writer.heartbeat().startswith(b":"):
        return b""
    return f": x-nearloop-collapse: {visit.collapse}\n\n".encode()


async def _streamed(visit: Visit, codec: Codec, writer: Writer, served: Served, send: Send) -> None:
    def head() -> list[tuple[bytes, bytes]]:
        return [
            (b"content-type", f"{writer.media_type}; charset=utf-8".encode()),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
            *_headers(visit, codec),
        ]

    async with Outgoing(send, head, writer.heartbeat, served.first_s, served.beat_s) as outgoing:
        try:
            async with aclosing(visit.deltas()) as deltas:
                async for delta in deltas:
                    if not outgoing.started and isinstance(delta, Progress):
                        continue  # a first error still is an HTTP status
                    if frame := writer.feed(delta, visit.answered_by):
                        await outgoing.write(frame)
            if not outgoing.started:
                raise NoAnswer
            last = _turned_out(visit, writer) + writer.end()
        except Exception as error:  # the one door of a route, once its status line is out
            if not outgoing.started:
                raise
            last = writer.failed(_in_words(problem(error)))
        await outgoing.end(last)

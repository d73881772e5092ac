"""One handler for all codecs: a body goes in, the corridor's answer goes out.

Theory of operation. The first delta is awaited up to `first_s` before the status line goes out, so an error until then is
an HTTP status and afterwards a frame. From then on a heartbeat goes out whenever nothing was said for a while, since
clients and proxies give up on silent connections. A client that hangs up ends the work.

The handlers are plain ASGI: they take the body that the guard read and write their own frames, which spares each request
a tenth of the daemon's time, and each delta a task.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, Final

from litestar import asgi
from litestar.exceptions import MethodNotAllowedException
from litestar.types import HTTPScope, Receive, Send

from daemon.callers import Caller, bearer, require
from daemon.errors import BadRequest
from daemon.peers import process_of_peer, working_tree
from daemon.pipeline import Visit
from daemon.protocols.base import Codec, Envelope, Writer
from daemon.protocols.errors import problem
from daemon.settings import ADMIN
from daemon.surfaces import vsr
from daemon.surfaces.hang_up import HungUp, Watch
from daemon.surfaces.loading import have_ready
from daemon.surfaces.outgoing import Outgoing
from daemon.surfaces.served import Served
from providers.contract import Choice, NoAnswer, Progress, Reach, Response, Usage, fold

_LABEL_CHARS: Final = 100
_NOTHING: Final = Response((Choice((), "stop"),), Usage(0, 0))
_ids: Final = random.Random()  # noqa: S311  # not for secrets
"""Names of records, which are no secrets: the system's own randomness costs a call into it for each."""


def answering(codec: Codec, served: Served, path: str | None = None) -> Any:
    """The handler at a codec's address. path: another address of the same."""

    @asgi(path or codec.PATH, name=path or codec.NAME, opt={"protocol": codec.NAME}, copy_scope=False)
    async def answer(scope: HTTPScope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            raise MethodNotAllowedException
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        caller = served.callers.identify(bearer(headers))
        require(caller, "infer:local")
        envelope = Envelope(
            id=f"{_ids.getrandbits(64):016x}",
            client=caller.name,
            session=_label(headers, "x-session-id"),
            project=await _project(scope, headers, caller, served),
            reach=_reach(headers),
            created_s=int(served.clock.now().timestamp()),
            deadline=served.clock.monotonic() + served.pipeline.rooms.wait_s,
            monotonic=served.clock.monotonic,
        )
        asked = codec.read(await _body(receive), envelope)
        scope["state"]["record"] = envelope.id
        debug = headers.get("x-vsr-debug") == "true"
        visit = served.pipeline.visit(asked, may_cloud=caller.may("infer:cloud"), debug=debug)
        writer = codec.writer(asked, envelope)
        rooms = served.pipeline.rooms
        try:
            async with Watch(receive):
                if not asked.messages:
                    name = await have_ready(visit, rooms.pool, rooms.wait_s)
                    await _sent(writer.whole(_NOTHING, name), visit, codec, send)
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


async def _project(scope: HTTPScope, headers: Mapping[str, str], caller: Caller, served: Served) -> str | None:
    """Which project a request is for: the client's label, else the header's word, else the caller's working tree."""
    if caller.name is not None and caller.name != ADMIN:
        return caller.name
    if claimed := _label(headers, "x-nearloop-project"):
        return claimed
    client, server = scope["client"], scope["server"]
    if not served.pipeline.rooms.projects or client is None or server is None or server[1] is None:
        return None  # nobody would use the answer, which takes milliseconds
    return await asyncio.to_thread(_tree, (server[0], server[1]), client)


def _tree(own: tuple[str, int], peer: tuple[str, int]) -> str | None:
    process = process_of_peer(own, peer)
    return working_tree(process) if process is not None else None


def _label(headers: Mapping[str, str], name: str) -> str | None:
    """A header that names something; it goes into records, so it has to be short and printable."""
    value = headers.get(name)
    if value is not None and (len(value) > _LABEL_CHARS or not value.isprintable()):
        raise BadRequest(f"the header {name} has to be at most {_LABEL_CHARS} printable characters", name)
    return value or None


def _reach(headers: Mapping[str, str]) -> Reach:
    match headers.get("x-nearloop-reach"):
        case None:
            return "any"
        case "device":
            return "device"
        case _:
            raise BadRequest("the header x-nearloop-reach knows one value: device", "x-nearloop-reach")


def _headers(visit: Visit, codec: Codec) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"x-nearloop-record", visit.request.id.encode()),
        (b"x-nearloop-egress", visit.egress.encode()),
    ]
    if codec.HABITS.id_header:
        headers.append((codec.HABITS.id_header.encode(), visit.request.id.encode()))
    if visit.confidence is not None:
        headers.append((b"x-nearloop-confidence", visit.confidence.encode()))
    headers += vsr.headers(visit)
    if ignored := (*visit.request.ignored, *map(codec.field, visit.aside)):
        headers.append((b"x-nearloop-ignored", ", ".join(ignored).encode()))
    return headers


async def _whole(visit: Visit, codec: Codec, writer: Writer, send: Send) -> None:
    async with aclosing(visit.deltas()) as deltas:
        body = writer.whole(await fold(deltas), visit.answered_by)
    await _sent(body, visit, codec, send)


async def _sent(body: bytes, visit: Visit, codec: Codec, send: Send) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *_headers(visit, codec),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


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
                    if outgoing.started or not isinstance(delta, Progress):  # a first error still is an HTTP status
                        if frame := writer.feed(delta, visit.answered_by):
                            await outgoing.write(frame)
            if not outgoing.started:
                raise NoAnswer
            last = writer.end()
        except Exception as error:  # the one door of a route, once its status line is out
            if not outgoing.started:
                raise
            last = writer.failed(problem(error))
        await outgoing.end(last)

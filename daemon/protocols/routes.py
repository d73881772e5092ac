"""The HTTP side of the client protocols: one handler for all codecs, and the model list.

Theory of operation. The first delta is awaited up to FIRST_S before the status line goes out, so an error until then is
an HTTP status and afterwards a frame. From then on a heartbeat goes out whenever nothing was said for a while, since
clients and proxies give up on silent connections. A client that hangs up ends the work: a streamed answer is cancelled by
the server, a whole one by watching the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Mapping
from typing import Any, Final, TypeVar

from litestar import Request as HttpRequest
from litestar import Response as HttpResponse
from litestar import get, post
from litestar.exceptions import ClientException
from litestar.response import Stream
from litestar.types import ControllerRouterHandler, Receive

from daemon.callers import Caller, Callers, bearer, require
from daemon.clock import Clock
from daemon.decision.rules import AUTO, CLOUD, LOCAL
from daemon.errors import BadRequest, UnknownModel
from daemon.peers import process_of_peer, working_tree
from daemon.pipeline import Pipeline, Visit
from daemon.protocols.base import Codec, Envelope, Writer
from daemon.protocols.errors import problem
from daemon.protocols.registry import PROTOCOLS
from daemon.settings import ADMIN
from providers.contract import Delta, Deltas, NoAnswer, Reach, fold
from providers.wire import openai_chat as openai_wire

FIRST_S: Final = 5.0
BEAT_S: Final = 15.0
_LABEL_CHARS: Final = 100


class Served:
    """What the handlers need of the daemon."""

    def __init__(self, pipeline: Pipeline, callers: Callers, clock: Clock, first_s: float, beat_s: float) -> None:
        self.pipeline = pipeline
        self.callers = callers
        self.clock = clock
        self.first_s = first_s
        self.beat_s = beat_s


def routes(
    pipeline: Pipeline, callers: Callers, clock: Clock, first_s: float = FIRST_S, beat_s: float = BEAT_S
) -> list[ControllerRouterHandler]:
    """All client routes. first_s, beat_s: see above."""
    served = Served(pipeline, callers, clock, first_s, beat_s)
    handlers = [_handler(codec, served) for codec in PROTOCOLS.values()]
    return [*handlers, _models(served), _model(served)]


def _handler(codec: Codec, served: Served) -> Any:
    @post(codec.PATH, status_code=200, name=codec.NAME, opt={"protocol": codec.NAME})
    async def answer(request: HttpRequest[Any, Any, Any]) -> HttpResponse[Any]:
        headers = request.headers
        caller = served.callers.identify(bearer(headers))
        require(caller, "infer:local")
        envelope = Envelope(
            id=secrets.token_hex(8),
            client=caller.name,
            session=_label(headers, "x-session-id"),
            project=await _project(request, caller, served),
            reach=_reach(headers),
            created_s=int(served.clock.now().timestamp()),
        )
        asked = codec.read(await request.body(), envelope)
        request.state.record = envelope.id
        visit = served.pipeline.visit(asked, may_cloud=caller.may("infer:cloud"))
        writer = codec.writer(asked, envelope)
        if asked.stream:
            return await _streamed(visit, codec, writer, served, request.receive)
        return await _whole(visit, codec, writer, request.receive)

    return answer


async def _project(request: HttpRequest[Any, Any, Any], caller: Caller, served: Served) -> str | None:
    """Which project a request is for: the client's label, else the header's word, else the caller's working tree."""
    if caller.name is not None and caller.name != ADMIN:
        return caller.name
    if claimed := _label(request.headers, "x-nearloop-project"):
        return claimed
    client, server = request.scope["client"], request.scope["server"]
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


def _headers(visit: Visit, codec: Codec) -> dict[str, str]:
    headers = {"x-nearloop-record": visit.request.id, "x-nearloop-egress": visit.egress}
    if visit.confidence is not None:
        headers["x-nearloop-confidence"] = visit.confidence
    if ignored := (*visit.request.ignored, *map(codec.field, visit.aside)):
        headers["x-nearloop-ignored"] = ", ".join(ignored)
    return headers


# ---- whole answers --------------------------------------------------------------------------------------------------


async def _whole(visit: Visit, codec: Codec, writer: Writer, receive: Receive) -> HttpResponse[bytes]:
    async def answer() -> bytes:
        async with contextlib.aclosing(visit.deltas()) as deltas:
            return writer.whole(await fold(deltas), visit.answered_by)

    body = await unless_hung_up(receive, answer())
    return HttpResponse(body, media_type="application/json", headers=_headers(visit, codec))


T = TypeVar("T")


async def unless_hung_up(receive: Receive, work: Awaitable[T]) -> T:
    """Do the work, and cancel it if the client goes away. Raises ClientException then, which nobody will read."""

    async def hung_up() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(hung_up())
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientException("the client hung up", status_code=499)
    finally:
        await _end(watching)
        await _end(working)


async def _end(task: asyncio.Future[Any]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await task


# ---- streamed answers -----------------------------------------------------------------------------------------------


async def _streamed(visit: Visit, codec: Codec, writer: Writer, served: Served, receive: Receive) -> Stream:
    deltas = with_pauses(visit.deltas(), served.first_s, served.beat_s)
    try:
        first = await unless_hung_up(receive, anext(deltas))
    except StopAsyncIteration:
        raise NoAnswer from None
    except BaseException:
        await deltas.aclose()
        raise

    async def frames() -> AsyncGenerator[bytes, None]:
        async with contextlib.aclosing(deltas):
            try:
                yield _frame(first, writer, visit)
                async for delta in deltas:
                    yield _frame(delta, writer, visit)
                yield writer.end()
            except Exception as error:  # noqa: BLE001  # the one door of a route, once its status line is out
                yield writer.failed(problem(error))

    headers = {**_headers(visit, codec), "cache-control": "no-store", "x-accel-buffering": "no"}
    return Stream(frames, media_type=writer.media_type, headers=headers)


def _frame(delta: Delta | None, writer: Writer, visit: Visit) -> bytes:
    return writer.heartbeat() if delta is None else writer.feed(delta, visit.answered_by)


async def with_pauses(deltas: Deltas, first_s: float, beat_s: float) -> AsyncGenerator[Delta | None, None]:
    """The deltas, and None whenever nothing came for `first_s` at the start or `beat_s` later."""
    wait_s = first_s
    coming: asyncio.Future[Delta] | None = None
    try:
        while True:
            coming = asyncio.ensure_future(anext(deltas))
            while not (await asyncio.wait({coming}, timeout=wait_s))[0]:
                wait_s = beat_s
                yield None
            try:
                delta = coming.result()
            except StopAsyncIteration:
                return
            wait_s = beat_s
            yield delta
    finally:
        if coming is not None:
            await _end(coming)
        await deltas.aclose()


# ---- models ---------------------------------------------------------------------------------------------------------


def _listed(served: Served) -> list[openai_wire.Model]:
    """Every name that can be asked for. context_length: the effective window; None until the model was loaded once."""
    rooms = served.pipeline.rooms
    infos = rooms.pool.infos()
    created = int(served.clock.now().timestamp())
    aliases = [openai_wire.Model(name, created, "nearloop", infos[0].context_tokens) for name in (AUTO, LOCAL)]
    local = [openai_wire.Model(info.name, created, "nearloop", info.context_tokens) for info in infos]
    cloud = [openai_wire.Model(candidate.name, created, candidate.provider, None) for candidate in rooms.cloud]
    if cloud:
        aliases.append(openai_wire.Model(CLOUD, created, "nearloop", None))
    return aliases + local + cloud


def _models(served: Served) -> Any:
    @get("/v1/models", name="models")
    async def models(request: HttpRequest[Any, Any, Any]) -> openai_wire.ModelList:
        served.callers.identify(bearer(request.headers))
        return openai_wire.ModelList(_listed(served))

    return models


def _model(served: Served) -> Any:
    @get("/v1/models/{name:path}", name="model")
    async def model(request: HttpRequest[Any, Any, Any], name: str) -> openai_wire.Model:
        served.callers.identify(bearer(request.headers))
        wanted = name.lstrip("/")
        for entry in _listed(served):
            if entry.id == wanted:
                return entry
        raise UnknownModel("no model has this name: GET /v1/models lists them")

    return model

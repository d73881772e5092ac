"""A control API of which a test says what it answers: for screens, which need no daemon behind it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

from daemon import wire
from daemon.clock import Clock
from daemon.events import EventRing
from daemon.paths import Paths, make_private_directory, write_private
from tests.fakes.clock import HeldClock
from tests.fakes.summed_records import summed

TOKEN = "nl_played"
Stream = Callable[[str], AsyncGenerator[str, None]]
Answer = Any | Callable[[dict[str, Any]], Any]


class PlayedDaemon:
    """Answers `METHOD path` with what `answers` has for it, or with what a function there makes of the body. The events are
    the daemon's own ring. asked: all calls but those for events, as `METHOD path`. refusals: what to say no to, with which
    message.
    """

    def __init__(self, paths: Paths, records: tuple[wire.Record, ...] = (), clock: Clock | None = None) -> None:
        self.paths = paths
        self.clock = clock or HeldClock()
        self.records = {record.id: record for record in records}
        self.status = wire.Status("0.1.0", os.getpid(), 0, self.clock.now(), 1.0, (), (), len(records), 0, len(records))
        self.answers: dict[str, Answer] = {}
        self.refusals: dict[str, str] = {}
        self.streams: dict[str, Stream] = {}
        """By model: answers a question with a record's id, then words."""
        self.asked: list[str] = []
        self.ring = EventRing(self.clock, self._state)

    def say(self, kind: str, data: Any, record: str | None = None) -> None:
        """An event."""
        if isinstance(data, wire.Record):
            self.records[data.id] = data
        self.ring.emit(kind, data, record)

    def local_only(self) -> None:
        """Nothing leaves."""
        self.status = msgspec.structs.replace(self.status, local_only=True)

    async def _state(self) -> dict[str, Any]:
        shown: dict[str, Any] = msgspec.to_builtins(self.status)
        return shown

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One call."""
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        path = request.path.removeprefix("/nearloop/v1/")
        name = f"{request.method} {path}"
        if name == "GET events":
            since = request.query.get("since")
            return _json(await self.ring.read(None if since is None else int(since), float(request.query["wait_s"])))
        self.asked.append(name)
        if name in self.refusals:
            return _json({"error": {"code": "refused", "message": self.refusals[name]}}, 409)
        if name == "POST /v1/chat/completions":
            return await self._talk(request)
        if name in self.answers:
            body = await request.read()
            given = self.answers[name]
            return _json(
                given(msgspec.json.decode(body) if body else dict(request.query)) if callable(given) else given
            )
        if name == "GET spending":
            today = self.clock.now().astimezone().date()
            return _json(summed(self.records.values(), today, **request.query))
        if name == "GET records":
            return _json(wire.Records(tuple(reversed(self.records.values()))))
        if name == "GET status":
            return _json(self.status)
        if (record := self.records.get(path.removeprefix("records/"))) is not None:
            return _json(wire.RecordDetail(record))
        return _json({"error": {"code": "not_found", "message": "there is nothing of that name"}}, 404)

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        """A streamed answer, in OpenAI's shape."""
        body = await request.json()
        async with aclosing(self.streams[body["model"]](body["messages"][0]["content"])) as words:
            headers = {"content-type": "text/event-stream", "x-nearloop-record": await anext(words)}
            response = web.StreamResponse(headers=headers)
            await response.prepare(request)
            async for each in words:
                frame = msgspec.json.encode({"choices": [{"delta": {"content": each}}]})
                await response.write(b"data: " + frame + b"\n\n")
            await response.write(b"data: [DONE]\n\n")
        return response


def _json(body: Any, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(body), status=status, content_type="application/json")


@asynccontextmanager
async def playing(daemon: PlayedDaemon) -> AsyncIterator[PlayedDaemon]:
    """It listens, and can be discovered."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", daemon.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    make_private_directory(daemon.paths.discovery.parent)
    make_private_directory(daemon.paths.admin_token.parent)
    write_private(daemon.paths.admin_token, TOKEN.encode())
    discovery = wire.Discovery(port, os.getpid(), "0.1.0", daemon.clock.now())
    write_private(daemon.paths.discovery, msgspec.json.encode(discovery))
    try:
        yield daemon
    finally:
        daemon.ring.close()
        daemon.paths.discovery.unlink()
        await runner.cleanup()


def with_a_switch(where: Paths) -> PlayedDaemon:
    """One whose local-only switch can be turned."""
    made = PlayedDaemon(where)

    def turned(body: dict[str, bool]) -> wire.Privacy:
        made.say("privacy", told := wire.Privacy(body["local_only"], "balanced"))
        return told

    made.answers["PUT privacy"] = turned
    return made

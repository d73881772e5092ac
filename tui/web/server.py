"""The dashboard in a browser: pages on this machine's loopback, behind which each visitor has a dashboard's process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiohttp_jinja2
import jinja2
from aiohttp import web
from textual_serve.server import Server, to_int

from tui.web.door import Door
from tui.web.sitting import Sitting

HOST: Final = "127.0.0.1"
MOST: Final = 8
"""Dashboards at once: each is a process of about 60 MB."""
PAGES: Final = Path(__file__).parent / "pages"
SCRIPTS: Final = Path(__file__).parent / "scripts"


class Served(Server):
    """textual-serve's pages, in a folder behind our door, with a page of ours that loads nothing from elsewhere."""

    def __init__(self, command: list[str], door: Door) -> None:
        super().__init__("", host=HOST, title="Nearloop", templates_path=PAGES)
        self._command = command
        self._door = door
        self._open = 0

    def application(self) -> web.Application:
        """Its pages."""
        app = web.Application(middlewares=[self._door.guard])
        aiohttp_jinja2.setup(app, loader=jinja2.FileSystemLoader(self.templates_path), autoescape=True)
        place = self._door.place
        app.add_routes(
            [
                web.get("/", self._door.enter),
                web.get(f"{place}/", self.handle_index, name="index"),
                web.get(f"{place}/ws", self.handle_websocket, name="websocket"),
                web.static(f"{place}/static", self.statics_path, name="static"),
                web.static(f"{place}/scripts", SCRIPTS),
            ]
        )
        return app

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A visitor, and a process for it."""
        if self._open >= MOST:
            raise web.HTTPServiceUnavailable(text="too many dashboards are open: close one")
        self._open += 1
        socket = web.WebSocketResponse(heartbeat=15)
        sitting = Sitting(
            self._command,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=socket.close,
            download_manager=self.download_manager,
        )
        try:
            await socket.prepare(request)
            await sitting.start(to_int(request.query.get("width", ""), 80), to_int(request.query.get("height", ""), 24))
            await self._process_messages(socket, sitting)
        finally:
            self._open -= 1
            await sitting.stop()
        return socket


@asynccontextmanager
async def serving(command: list[str], port: int = 0) -> AsyncIterator[str]:
    """It listens; gives the address to open. command: starts a dashboard. port: 0: a free one. Raises OSError."""
    door = Door()
    served = Served(command, door)
    runner = web.AppRunner(served.application(), access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        door.host = f"{HOST}:{runner.addresses[0][1]}"
        served.public_url = f"http://{door.host}"
        yield door.address
    finally:
        await runner.cleanup()


async def serve(command: list[str], port: int, tell: Callable[[str], None]) -> None:
    """Until cancelled. tell: is given the address to open."""
    async with serving(command, port) as address:
        tell(address)
        await asyncio.Event().wait()

"""The HTTP server: a bound socket, uvicorn on it, and the look at who connects."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from daemon.errors import NearloopError
from daemon.guard import FOREIGN_USER, App
from daemon.peers import user_of_peer

HOST: Final = "127.0.0.1"
STOP_S: Final = 5
"""How long requests in flight may go on after a stop was asked for."""
KEEP_ALIVE_S: Final = 60


class PortTaken(NearloopError):
    """Somebody else listens there."""


def listen(port: int) -> socket.socket:
    """Bind the daemon's address; 0 takes any free port. Raises PortTaken with the owner's name where it can be told."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two programs share the port
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((HOST, port))
        sock.listen(1024)
    except OSError as error:
        sock.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise PortTaken(
                f"port {port} is taken by {owner_of(port)}: stop that program, or use another port with --port"
            ) from error
        raise
    return sock


def owner_of(port: int) -> str:
    """In words, who listens on a port of this machine."""
    import psutil  # only when something is in the way

    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr[1:] == (port,) and connection.pid:
                process = psutil.Process(connection.pid)
                return f"{process.name()} (process {connection.pid}, user {process.username()})"
    except psutil.Error:
        pass
    return "a program of another user"


class _Protocol(HttpToolsProtocol):
    """Marks requests that come from another user of this machine, once a connection."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if hasattr(os, "getuid") and self.client and self.server and self.server[1] is not None:
            user = user_of_peer((self.server[0], self.server[1]), self.client)
            if user is not None and user != os.getuid():
                self.app_state = {**self.app_state, FOREIGN_USER: True}


class Server(uvicorn.Server):
    """Serves one app on one bound socket until told to stop.

    on_started: called once requests are accepted. on_stopping: called before the open ones are waited for.
    """

    def __init__(
        self, app: App, refuse_other_users: bool, on_started: Callable[[], None], on_stopping: Callable[[], None]
    ) -> None:
        config = uvicorn.Config(
            app,
            http=_Protocol if refuse_other_users else HttpToolsProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=STOP_S,
            backlog=1024,
        )
        super().__init__(config)
        self._on_started = on_started
        self._on_stopping = on_stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stopping()
        await super().shutdown(sockets)

    def stop(self) -> None:
        """End after the requests in flight. Called on the event loop, or from a signal."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM stop the server, and the program then ends normally, not by the signal."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(server: Server, sock: socket.socket) -> None:
    """Run until stopped."""
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(server.serve([sock]))

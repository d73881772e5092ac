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
from contextlib import contextmanager, suppress
from typing import Any, Final

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from daemon.addresses import LOOPBACK, cards, is_loopback
from daemon.crashes import watch
from daemon.errors import NearloopError
from daemon.guard import BEYOND, FOREIGN_USER, App
from daemon.peers import user_of_peer
from daemon.protocols.base import Problem
from daemon.protocols.openai_chat import refusal

STOP_S: Final = 5
"""How long requests in flight may go on after a stop was asked for."""
KEEP_ALIVE_S: Final = 60
HEADERS_S: Final = 30.0
"""How long a new connection may take until its first request's headers are there."""
MAX_HEADER_BYTES: Final = 256 * 1024
FOREIGN_S: Final = 5.0
MAX_FOREIGN: Final = 16
"""Connections of other users get a refusal, for so long and so many at once: enough to be told, too few to be in the way."""
MAX_BEYOND: Final = 256
"""Connections from beyond this machine at once, so that they can't take this machine's own programs' room. Until a request's
headers are there they have as little time as other users, and whoever is refused is disconnected.
"""
DESCRIPTORS: Final = 8192


class PortTaken(NearloopError):
    """Somebody else listens there."""


_OF_UPGRADES: Final = frozenset({b"connection", b"upgrade", b"http2-settings"})


class NoSuchAddress(NearloopError):
    """This machine does not have it."""


def listen(port: int, address: str = LOOPBACK) -> socket.socket:
    """Bind a port of an address; 0 takes any free one.

    Raises PortTaken with the owner's name where it can be told, NoSuchAddress with the addresses that there are.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        sock = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:  # no IPv6 here
        raise NoSuchAddress(_no_address(address)) from error
    if sys.platform != "win32":  # there it would let two programs share the port
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # IPv4 has a socket of its own
        sock.bind((address, port))
        sock.listen(1024)
    except OSError as error:
        sock.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            where, owner = "" if address == LOOPBACK else f" of {address}", owner_of(port, address)
            raise PortTaken(
                f"port {port}{where} is taken by {owner}: stop that program, or use another port with --port"
            ) from error
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            raise NoSuchAddress(_no_address(address)) from error
        raise
    return sock


def listen_at(addresses: tuple[str, ...], port: int) -> list[socket.socket]:
    """One port of several addresses, all or none; 0 takes any that is free at the first. Raises as `listen` does."""
    sockets: list[socket.socket] = []
    try:
        for address in addresses:
            sockets.append(listen(port, address))
            port = sockets[0].getsockname()[1]
    except (NearloopError, OSError):
        for sock in sockets:
            sock.close()
        raise
    return sockets


def second_port(
    port: int | None, bound: int, addresses: tuple[str, ...] = (LOOPBACK,)
) -> tuple[list[socket.socket], str | None]:
    """The sockets on the port that the settings want for Ollama's clients; else none, and why it could not be had."""
    if port is None or port == bound:
        return [], None
    try:
        return listen_at(addresses, port), None
    except PortTaken as error:
        return [], str(error).partition(":")[0]
    except NearloopError as error:
        return [], str(error)
    except OSError as error:
        return [], f"port {port} can't be opened ({error.strerror})"


def _no_address(address: str) -> str:
    there = ", ".join(f"{own} ({card})" for own, card in cards().items())
    return f"this machine has no address {address} now: it has {there}"


def owner_of(port: int, address: str = LOOPBACK) -> str:
    """In words, who listens on a port of this machine, besides ourselves."""
    import psutil  # only when something is in the way

    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status != psutil.CONN_LISTEN or not connection.laddr or connection.laddr[1] != port:
                continue
            if connection.laddr[0] in (address, "0.0.0.0", "::") and connection.pid not in (None, os.getpid()):
                process = psutil.Process(connection.pid)
                return f"{process.name()} (process {connection.pid}, user {process.username()})"
    except psutil.Error:
        pass
    return "a program of another user"


class Together:
    """A transport that sends what was written in one round of the event loop as one piece.

    uvloop makes a system call of each write, and whoever reads wakes up for each. How much can be held is bounded by what a
    round writes; what the other side doesn't take is the transport's business, as ever.
    """

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """At the end of this round."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def close(self) -> None:
        """Behind what was written."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """At once."""
        self._held.clear()
        self._transport.abort()

    def _flush(self) -> None:
        data = b"".join(self._held)
        self._held.clear()
        if data and not self._transport.is_closing():  # the client may have gone since
            self._transport.write(data)


class _Protocol(HttpToolsProtocol):
    """uvicorn's, and less patient: with other users of this machine, with silence, with headers that do not end.

    What a stranger sends leaves no line in the log. No other protocol is spoken, so an Upgrade is passed over, as HTTP has
    it (RFC 9110, 7.8); the parser ends a message where one is asked for, and so that one is read again without.
    """

    foreign = 0
    """Connections of other users that are open."""
    beyond = 0
    """Connections from beyond this machine that are open."""
    _others = True
    _is_foreign = False
    _is_beyond = False
    _in_headers = False
    _header_bytes = 0
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(Together(transport, self.loop))  # type: ignore[arg-type]  # a transport by what it does
        self._is_foreign = self._others and self._from_another_user()
        self._is_beyond = not all(end and is_loopback(end[0]) for end in (self.client, self.server))
        if self._is_beyond:
            _Protocol.beyond += 1
            self.app_state = {**self.app_state, BEYOND: True}
        if self._is_foreign:
            _Protocol.foreign += 1
            self.app_state = {**self.app_state, FOREIGN_USER: True}
        if (self._is_foreign and _Protocol.foreign > MAX_FOREIGN) or (
            self._is_beyond and _Protocol.beyond > MAX_BEYOND
        ):
            transport.abort()
            return
        short = self._is_foreign or self._is_beyond
        self._patience = self.loop.call_later(FOREIGN_S if short else HEADERS_S, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_beyond:
            _Protocol.beyond -= 1
        if self._is_foreign:
            _Protocol.foreign -= 1
        if self._patience:
            self._patience.cancel()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._in_headers, self._header_bytes = True, 0
        super().on_message_begin()

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as asked:
            if self._asks_to_upgrade():
                self._read_again(data[asked.args[0] :])
        except httptools.HttpParserError:
            self.send_400_response("")
            return
        if self._in_headers:  # still: what came with them of a body is not counted
            self._header_bytes += len(data)
            if self._header_bytes > MAX_HEADER_BYTES and not self.transport.is_closing():
                self.send_400_response("The headers are too long.")

    def on_headers_complete(self) -> None:
        self._in_headers = False
        if self._patience and not self._is_foreign:
            self._patience.cancel()
        if not self._asks_to_upgrade():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        if not self._asks_to_upgrade():
            super().on_message_complete()

    def _asks_to_upgrade(self) -> bool:
        return bool(self.parser.should_upgrade()) and self.parser.get_method() != b"CONNECT"

    def _read_again(self, rest: bytes) -> None:
        """The request whose headers were read, as if it hadn't asked, and what came with it of its body."""
        kept = [(name, value) for name, value in self.headers if name not in _OF_UPGRADES]
        if any(name == b"connection" and b"close" in value.lower() for name, value in self.headers):
            kept.append((b"connection", b"close"))
        version = self.parser.get_http_version().encode()
        head = b"%s %s HTTP/%s\r\n" % (self.parser.get_method(), self.url, version)
        head += b"".join(b"%s: %s\r\n" % header for header in kept) + b"\r\n"
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn has it
        self.data_received(head + rest)

    def send_400_response(self, msg: str) -> None:
        """What isn't HTTP is refused in the shape of every other refusal."""
        body = refusal(Problem(400, "bad_http", "the request is not valid HTTP, or its headers are too long"))
        head = f"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(f"{head}connection: close\r\n\r\n".encode() + body)
        self.transport.close()

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()

    def _from_another_user(self) -> bool:
        if not (hasattr(os, "getuid") and self.client and self.server and self.server[1] is not None):
            return False
        user = user_of_peer((self.server[0], self.server[1]), self.client)
        return user is not None and user != os.getuid()


class _OpenProtocol(_Protocol):
    """For `other_users = "allow"`."""

    _others = False


class Server(uvicorn.Server):
    """Serves one app on one bound socket until told to stop.

    on_started: called once requests are accepted. on_stopping: called before the open ones are waited for.
    """

    def __init__(
        self, app: App, refuse_other_users: bool, on_started: Callable[[], None], on_stopping: Callable[[], None]
    ) -> None:
        config = uvicorn.Config(
            app,
            http=_Protocol if refuse_other_users else _OpenProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # nobody stands between, and whoever claims to could pass for another process
            date_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=STOP_S,
            backlog=1024,
        )
        super().__init__(config)
        self._on_started = on_started
        self._on_stopping = on_stopping
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if not self.should_exit:
            self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stopping()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """The first signal lets requests in flight end; the second hangs up on them, and then all is closed as usual."""
        if self.should_exit and self._loop:
            self._loop.call_soon_threadsafe(self._hang_up)
        self.should_exit = True

    def _hang_up(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()

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


def raise_descriptor_limit() -> None:
    """Have room for some thousand connections where the system's soft limit is 256 or 1,024."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(server: Server, sockets: list[socket.socket]) -> None:
    """Run until stopped."""
    raise_descriptor_limit()
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        watch(runner.get_loop())
        runner.run(server.serve(sockets))

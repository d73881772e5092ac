"""Starting and ending a daemon in this process: the lock, the port, the token, the discovery file."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from daemon.addresses import beyond, listened
from daemon.app import Daemon
from daemon.callers import new_token
from daemon.clock import SystemClock
from daemon.crashes import keep_words_out
from daemon.errors import NearloopError, Refused
from daemon.paths import Paths, make_private_directory, read_private, write_private
from daemon.server import Server, listen_at, second_port, serve
from daemon.settings import SettingsFile
from daemon.version import version
from daemon.wire import Discovery, Event

RELIGHT_S: Final = 30.0


class AlreadyRunning(NearloopError):
    """A daemon of this user is there. discovery: None while that one is just starting."""

    def __init__(self, discovery: Discovery | None) -> None:
        where = f"process {discovery.pid}, http://127.0.0.1:{discovery.port}" if discovery else "it is just starting"
        super().__init__(f"Nearloop is running already ({where}): `nearloop status` shows it, `nearloop down` stops it")


def read_discovery(path: Path) -> Discovery | None:
    """What the running daemon wrote; None if there is none or it can't be read."""
    try:
        return msgspec.json.decode(read_private(path), type=Discovery)
    except (OSError, msgspec.DecodeError):
        return None


class Beacon:
    """The files by which this user's programs find the daemon. Somebody may delete them; they are then written again."""

    def __init__(self, paths: Paths, token: str, discovery: Discovery) -> None:
        self._paths = paths
        self._token = token
        self._discovery = discovery

    def light(self) -> None:
        """Write what is missing."""
        if self._paths.admin_token.exists() and self._paths.discovery.exists():
            return
        with suppress(OSError, Refused):  # at the next look, then
            make_private_directory(self._paths.runtime)
            write_private(self._paths.admin_token, self._token.encode())
            write_private(self._paths.discovery, msgspec.json.encode(self._discovery))

    def put_out(self) -> None:
        """Remove them."""
        self._paths.discovery.unlink(missing_ok=True)
        self._paths.admin_token.unlink(missing_ok=True)


def collect_rarely() -> None:
    """Have Python look for garbage in cycles less often, and never among what was loaded by now: a sixth of a small
    request's time went there (measured), and requests leave next to none.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


class Wanted(Struct, frozen=True):
    """Where to listen, as a start was told. port None, hosts (): as the settings have it. expose: other machines, too."""

    port: int | None = None
    hosts: tuple[str, ...] = ()
    expose: bool = False


def run(
    paths: Paths, wanted: Wanted, on_started: Callable[[Discovery], None], on_event: Callable[[Event], None]
) -> None:
    """Be the daemon until stopped.

    Raises AlreadyRunning, PortTaken, NoSuchAddress, BadRequest, BadSettings, StoreError, Refused.
    """
    keep_words_out()
    os.umask(0o077)  # records, logs and the settings that we write are this user's alone
    for folder in (paths.runtime, paths.data):
        make_private_directory(folder)
    file = SettingsFile(paths.settings)
    with ExitStack() as undo:
        try:
            undo.enter_context(FileLock(paths.lock, timeout=0))
        except Timeout:
            raise AlreadyRunning(read_discovery(paths.discovery)) from None
        server_of = file.settings.server
        addresses = listened(wanted.hosts or server_of.addresses, wanted.expose)
        sockets = listen_at(addresses, server_of.port if wanted.port is None else wanted.port)
        bound: int = sockets[0].getsockname()[1]
        second, trouble = second_port(server_of.ollama_port, bound, addresses)
        for sock in (*sockets, *second):
            undo.callback(sock.close)
        token = new_token()
        clock = SystemClock()
        daemon = Daemon(file, paths, bound, token, clock, lambda: server.stop())
        daemon.events.listen(on_event)

        ours = second[0].getsockname()[1] if second else None
        exposed = beyond(addresses)
        discovery = Discovery(bound, os.getpid(), version(), clock.now(), ours, trouble, exposed)
        daemon.state.ollama_trouble, daemon.state.exposed = trouble, exposed
        beacon = Beacon(paths, token, discovery)

        def started() -> None:
            beacon.put_out()  # what a killed daemon left
            undo.callback(beacon.put_out)
            beacon.light()
            asyncio.get_running_loop().call_later(RELIGHT_S, relight)
            collect_rarely()
            on_started(discovery)

        def relight() -> None:
            beacon.light()
            asyncio.get_running_loop().call_later(RELIGHT_S, relight)

        server = Server(daemon.app, server_of.other_users == "refuse", started, daemon.stopping)
        serve(server, [*sockets, *second])

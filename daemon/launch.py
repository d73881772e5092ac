"""Starting and ending a daemon in this process: the lock, the port, the token, the discovery file."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from daemon.app import Daemon
from daemon.callers import new_token
from daemon.clock import SystemClock
from daemon.errors import NearloopError
from daemon.paths import Paths, make_private_directory, read_private, write_private
from daemon.server import Server, listen, serve
from daemon.settings import SettingsFile
from daemon.version import version
from daemon.wire import Discovery, Event


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


def run(paths: Paths, port: int | None, on_started: Callable[[int], None], on_event: Callable[[Event], None]) -> None:
    """Be the daemon until stopped. port: None takes the settings' one. on_started is given the port.

    Raises AlreadyRunning, PortTaken, BadSettings, StoreError, Refused.
    """
    os.umask(0o077)  # records, logs and the settings that we write are this user's alone
    for folder in (paths.runtime, paths.data):
        make_private_directory(folder)
    file = SettingsFile(paths.settings)
    with ExitStack() as undo:
        try:
            undo.enter_context(FileLock(paths.lock, timeout=0))
        except Timeout:
            raise AlreadyRunning(read_discovery(paths.discovery)) from None
        sock = listen(file.settings.server.port if port is None else port)
        undo.callback(sock.close)
        bound: int = sock.getsockname()[1]
        token = new_token()
        clock = SystemClock()
        daemon = Daemon(file, paths, bound, token, clock, lambda: server.stop())
        daemon.events.listen(on_event)

        def started() -> None:
            write_private(paths.admin_token, token.encode())
            found = Discovery(bound, os.getpid(), version(), clock.now())
            write_private(paths.discovery, msgspec.json.encode(found))
            undo.callback(paths.discovery.unlink, missing_ok=True)
            undo.callback(paths.admin_token.unlink, missing_ok=True)
            on_started(bound)

        server = Server(daemon.app, file.settings.server.other_users == "refuse", started, daemon.events.close)
        serve(server, sock)

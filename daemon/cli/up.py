"""`nearloop up`: start the daemon, in this terminal or detached."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from daemon.cli.announce import Announcer
from daemon.errors import NearloopError
from daemon.paths import Paths, make_private_directory, paths
from daemon.wire import Discovery, Event

if TYPE_CHECKING:
    from daemon.client import Client  # its HTTP library is not for the daemon's own process

START_S: Final = 20.0
"""How long a detached daemon may take until it answers; without its model it takes about one second."""
POLL_S: Final = 0.05


@click.command()
@click.option("-d", "--detach", is_flag=True, help="Run in the background; `nearloop down` stops it.")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen there instead of 6327; 0 takes any free port.")
@click.option("--host", "hosts", metavar="ADDRESS", multiple=True, help="Listen on this address, too; repeatable.")
@click.option("--expose", is_flag=True, help="Answer other machines there: by a client's token only, over plain HTTP.")
def up(detach: bool, port: int | None, hosts: tuple[str, ...], expose: bool) -> None:
    """Start the daemon.

    It listens on 127.0.0.1, and on nothing that other machines could reach unless both --expose and an address say so.
    Ctrl-C stops it.
    """
    if detach:
        _detached(paths(), port, hosts, expose)
    else:
        _here(paths(), port, hosts, expose)


def _here(where: Paths, port: int | None, hosts: tuple[str, ...], expose: bool) -> None:
    from daemon.launch import Wanted, run

    announcer: Announcer | None = None
    waiting: list[Event] = []

    def show(event: Event) -> None:
        if event.kind != "model":
            return
        if announcer is None:
            waiting.append(event)
        else:
            announcer.model(event.data)

    def started(discovery: Discovery) -> None:
        nonlocal announcer
        announcer = Announcer(discovery, where.admin_token)
        announcer.started()
        for event in waiting:
            show(event)

    run(where, Wanted(port, hosts, expose), started, show)
    with suppress(OSError):  # the terminal may be gone by now
        click.echo("\nNearloop is down.")


def _detached(where: Paths, port: int | None, hosts: tuple[str, ...], expose: bool) -> None:
    make_private_directory(where.data)
    command = [sys.executable, "-m", "daemon"] if not getattr(sys, "frozen", False) else [sys.executable, "daemon"]
    if port is not None:
        command += ["--port", str(port)]
    command += [word for host in hosts for word in ("--host", host)] + ["--expose"] * expose
    with where.log.open("ab") as log:
        where.log.chmod(0o600)
        start = log.tell()
        flags: dict[str, Any] = {"creationflags": 0x208} if sys.platform == "win32" else {"start_new_session": True}
        child = subprocess.Popen(  # 0x208 is CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=Path.home(), **flags
        )
    client = _wait_for(where, child, start)
    _follow(client, Announcer(client.discovery, where.admin_token))


def _wait_for(where: Paths, child: subprocess.Popen[bytes], start: int) -> Client:
    from daemon.client import Client, NotRunning

    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        status = child.poll()
        if status is not None:
            said = where.log.read_bytes()[start:].decode(errors="replace").strip()
            click.echo(said.splitlines()[-1] if said else f"the daemon ended with status {status}", err=True)
            sys.exit(status or 1)
        try:
            client = Client(where)
            if client.discovery.pid == child.pid:
                return client
        except NotRunning:
            pass
        time.sleep(POLL_S)
    child.terminate()
    raise NearloopError(f"the daemon did not answer within {START_S:.0f} s: see {where.log}")


def _follow(client: Client, announcer: Announcer) -> None:
    with client:
        announcer.started()
        since: int | None = None
        while not announcer.settled:
            seen = client.events(since, wait_s=20)
            since = seen.next
            for event in seen.events:
                if event.kind in ("state", "model"):
                    announcer.model(client.models().models[0])
    click.echo(f"\nIt runs in the background as process {client.discovery.pid}; `nearloop down` stops it.")

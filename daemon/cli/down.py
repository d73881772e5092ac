"""`nearloop down`: stop the daemon."""

from __future__ import annotations

import time
from typing import Final

import click

from daemon.client import Client
from daemon.errors import NearloopError
from daemon.paths import paths

STOP_S: Final = 20.0
POLL_S: Final = 0.05


@click.command()
def down() -> None:
    """Stop the daemon.

    Requests in flight get a few seconds to end.
    """
    import psutil

    with Client(paths()) as client:
        pid = client.discovery.pid
        client.stop()
    deadline = time.monotonic() + STOP_S
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            raise NearloopError(f"the daemon, process {pid}, did not stop within {STOP_S:.0f} s: end that process")
        time.sleep(POLL_S)
    click.echo("Nearloop is down.")

"""`nearloop local-only`: keep everything on this machine, or let things leave again."""

from __future__ import annotations

import click

from daemon.boundary.switch import Switch
from daemon.client import Client, NotRunning
from daemon.paths import paths


@click.command("local-only")
@click.argument("state", required=False, type=click.Choice(["on", "off"]))
def local_only(state: str | None) -> None:
    """Keep everything on this machine (`on`), let things leave again (`off`), or say which it is.

    It holds until it is turned off, also without a daemon and after a restart.
    """
    switch = Switch(paths().local_only)
    if state is not None:
        try:
            with Client(paths()) as client:  # who watches the daemon is told
                client.set_local_only(state == "on")
        except NotRunning:
            switch.turn(state == "on")
    if switch.on:
        click.echo("local-only: nothing leaves this machine")
    else:
        click.echo("not local-only: what may leave is decided for each request")

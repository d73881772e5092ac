"""A running daemon hears that the settings have changed."""

from __future__ import annotations

import click

from daemon.client import Client, NotRunning
from daemon.errors import NearloopError
from daemon.paths import paths


def tell_daemon() -> None:
    """One that runs takes them in at once; without one it is for the next start."""
    try:
        with Client(paths()) as client:
            client.reread_settings()
    except NotRunning:
        return
    except NearloopError as error:
        click.echo(f"The running daemon did not take it in ({error}): restart it", err=True)


def tell_daemon_of_key(provider: str) -> None:
    """One that runs looks for the provider's keys anew, and goes on asking; without one they are for the next start."""
    try:
        with Client(paths()) as client:
            client.renew_provider(provider)
    except NotRunning:
        return
    except NearloopError as error:
        click.echo(f"The running daemon did not take it in ({error}): restart it", err=True)

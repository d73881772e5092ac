"""`nearloop allow`: let what one request held pass."""

from __future__ import annotations

import click

from daemon.client import Client
from daemon.errors import BadRequest
from daemon.paths import paths


@click.command()
@click.argument("id")
@click.option("--once", is_flag=True, help="For the client's next request that holds it.")
@click.option("--project", is_flag=True, help="For good, for this client; it has to have a token.")
def allow(id: str, once: bool, project: bool) -> None:
    """Let what request ID held leave this machine.

    The client sends its request again after that.
    """
    if once == project:
        raise BadRequest("say how long it holds: --once or --project")
    with Client(paths()) as client:
        done = client.allow(id, "once" if once else "project")
    values = "1 value" if done.values == 1 else f"{done.values} values"
    click.echo(f"{values} may leave {'with the next request' if once else 'from now on'}: send the request again")

"""`nearloop client`: tokens for programs."""

from __future__ import annotations

import click

from daemon.cli.terminal import row
from daemon.client import Client
from daemon.paths import paths


@click.group()
def client() -> None:
    """Give programs tokens of their own, or take them back."""


@client.command()
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, help="infer:local, infer:cloud, read:records or admin; repeatable.")
def add(name: str, scopes: tuple[str, ...]) -> None:
    """Make a token for the program NAME and show it, this once."""
    with Client(paths()) as daemon:
        made = daemon.add_client(name, scopes or None)
        found = (daemon.url, *daemon.status().exposed)
    click.echo(f"Programs ask at {' or, from elsewhere, '.join(found)}")
    click.echo(f"A token for {made.name} with {', '.join(made.scopes)}; it is not shown again:")
    click.echo(made.token)


@client.command(name="list")
def list_() -> None:
    """Show who has a token."""
    with Client(paths()) as daemon:
        found = daemon.clients().clients
    if not found:
        click.echo("no client has a token: `nearloop client add NAME` makes one")
    for info in found:
        row(f"{info.name}: {', '.join(info.scopes)}")


@client.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Take the token of NAME back."""
    with Client(paths()) as daemon:
        daemon.revoke_client(name)
    click.echo(f"the token of {name} is no longer valid")

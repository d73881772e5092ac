"""`nearloop version`."""

from __future__ import annotations

import click

from daemon.version import version as installed


@click.command()
def version() -> None:
    """Show the version."""
    click.echo(f"nearloop {installed()}")

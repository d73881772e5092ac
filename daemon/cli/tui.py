"""`nearloop tui`: the dashboard."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import click

from daemon.errors import Refused
from daemon.own_command import command
from daemon.paths import paths


@click.command()
@click.option("--theme", type=click.Choice(["dark", "light", "contrast", "plain"]), help="How it looks at the start.")
@click.option("--web", is_flag=True, help="Serve it to a browser on this machine instead.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where, with --web; 0: a free one.")
def tui(theme: str | None, web: bool, port: int) -> None:
    """Watch and steer the daemon in this terminal. `?` shows the keys."""
    if web:
        _serve(command("tui", *(["--theme", theme] if theme else [])), port)
        return
    from tui.app import Dashboard  # 0.4 s of a processor more than the client alone: no other command waits for it

    Dashboard(paths(), theme).run()


def _serve(own: list[str], port: int) -> None:
    from tui.web.server import serve

    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(serve(own, port, _tell))
    except OSError as error:
        raise Refused(f"port {port} can't be listened on: choose another, or leave --port out") from error


def _tell(address: str) -> None:
    click.echo(f"The dashboard, for one browser of this machine: {address}")
    click.echo("Ctrl+C ends it.")

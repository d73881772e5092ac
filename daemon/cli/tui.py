"""`nearloop tui`: the dashboard."""

from __future__ import annotations

import asyncio
import os
import sys
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
    _need_terminal()
    from tui.app import Dashboard  # 0.4 s of a processor more than the client alone: no other command waits for it
    from tui.terminal import take_any_bytes

    take_any_bytes()
    Dashboard(paths(), theme).run()


def _need_terminal() -> None:
    """Raises Refused if no keys can come, or nobody would see what is painted: by Textual on standard error, on Windows on
    standard output. A browser's dashboard has another driver, and needs no terminal.
    """
    painted = sys.stdout if sys.platform == "win32" else sys.stderr
    if not os.environ.get("TEXTUAL_DRIVER") and not (sys.stdin.isatty() and painted.isatty()):
        raise Refused(
            "the dashboard needs a terminal, and this is none: `nearloop tui --web` serves it to a browser, and "
            "`nearloop status` says how things are"
        )


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

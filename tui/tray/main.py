"""`nearloop-tray`: an icon that says whether anything leaves this machine."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import Final

import click
from filelock import FileLock, Timeout

from daemon.errors import NearloopError
from daemon.paths import Paths, make_private_directory, paths
from tui.tray.places import EXTRA, Desktop, Place, place

EXIT_FAILED: Final = 1
EXIT_RUNNING: Final = 3
LOOK_S: Final = 1.0


class CantShow(NearloopError):
    """No icon can be shown here; the message says what to do."""


def found(wait_s: float) -> Place:
    """Where to show it. wait_s: how long to wait for a panel that isn't there yet. Raises CantShow."""
    if any(importlib.util.find_spec(name) is None for name in ("PIL", "pystray")):
        raise CantShow(EXTRA)
    deadline = time.monotonic() + wait_s
    while isinstance(best := place(_looked()), str):
        if time.monotonic() >= deadline:
            raise CantShow(best)
        time.sleep(LOOK_S)
    return best


def _looked() -> Desktop:
    from tui.tray.desktop import look  # which loads the desktop's libraries

    return look()


def show(where: Paths, best: Place) -> None:
    """Until the user quits it."""
    from tui.link import Link
    from tui.tray import programs
    from tui.tray.login import login
    from tui.tray.panel import Panel
    from tui.tray.tray import Tray

    command = [*programs.tray(), "--wait", "60"]
    tray = Tray(Link(where), login(command, sys.platform, os.environ, Path.home()))
    panel = Panel(best.backend, tray.clicked)
    try:
        panel.run(lambda: tray.begin(panel))
    finally:
        tray.end()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--wait", "wait_s", type=click.FloatRange(0), default=0.0, help="Seconds to wait for a panel.")
def tray(wait_s: float) -> None:
    """Show an icon that says whether anything leaves this machine, and a menu to steer it.

    Exit status: 1: no icon can be shown here, and why is said. 3: there is one already.
    """
    where = paths()
    make_private_directory(where.data)
    try:
        with FileLock(where.tray_lock, timeout=0):
            best = found(wait_s)
            if best.remark:
                click.echo(f"nearloop-tray: {best.remark}", err=True)
            show(where, best)
    except Timeout:
        click.echo("nearloop-tray: there is an icon already", err=True)
        sys.exit(EXIT_RUNNING)


def main() -> None:
    """The script. Started without a console it has no streams."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for as long as we run
    try:
        tray.main(prog_name="nearloop-tray")
    except (NearloopError, OSError) as error:
        click.echo(f"nearloop-tray: {error}", err=True)
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()

"""`nearloop tui`: the dashboard."""

from __future__ import annotations

import click

from daemon.paths import paths


@click.command()
@click.option("--theme", type=click.Choice(["dark", "light", "contrast", "plain"]), help="How it looks at the start.")
def tui(theme: str | None) -> None:
    """Watch and steer the daemon in this terminal. `?` shows the keys."""
    from tui.app import Dashboard  # 0.4 s of a processor more than the client alone: no other command waits for it

    Dashboard(paths(), theme).run()

"""`nearloop models load`, `unload` and `default`: take a model into memory or out of it, or have `local` mean it."""

from __future__ import annotations

from typing import Final

import click

from daemon import wire
from daemon.cli.taking_in import tell_daemon
from daemon.client import Client
from daemon.paths import paths
from daemon.settings import SettingsFile

_ON_THE_WAY: Final = ("cold", "preparing", "loading", "restarting")
_STEP_S: Final = 5.0
"""Between two lines about a loading that takes long."""


@click.command()
@click.argument("name")
def load(name: str) -> None:
    """Load the model NAME now, so that the first question does not wait for it."""
    with Client(paths()) as client:
        model = client.load_model(_bare(name), _STEP_S)
        while model.state in _ON_THE_WAY:
            click.echo(_stage(model))
            model = client.load_model(_bare(name), _STEP_S)
    click.echo(f"{model.name}: {model.state} on {model.device}, window {model.context_tokens} tokens")


@click.command()
@click.argument("name")
def unload(name: str) -> None:
    """Give the memory of the model NAME back. The next question loads it again."""
    with Client(paths()) as client:
        model = client.unload_model(_bare(name))
    click.echo(f"{model.name}: {model.state}")


@click.command()
@click.argument("name")
def default(name: str) -> None:
    """Have `local` mean the model NAME, by putting it in front of the others in settings.toml."""
    SettingsFile(paths().settings).prefer_model(_bare(name))
    click.echo(f"`local` means local/{_bare(name)}")
    tell_daemon()


def _bare(name: str) -> str:
    return name.removeprefix("local/")


def _stage(model: wire.Model) -> str:
    return f"{model.name}: {model.state}" + (f" {model.fraction:.0%}" if model.fraction is not None else "")

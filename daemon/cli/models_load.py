"""`nearloop models load` and `unload`: have a running daemon take a model into memory, or give its memory back."""

from __future__ import annotations

from typing import Final

import click

from daemon import wire
from daemon.client import Client
from daemon.paths import paths

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


def _bare(name: str) -> str:
    return name.removeprefix("local/")


def _stage(model: wire.Model) -> str:
    return f"{model.name}: {model.state}" + (f" {model.fraction:.0%}" if model.fraction is not None else "")

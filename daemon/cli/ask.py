"""`nearloop ask`: one question through the daemon."""

from __future__ import annotations

import sys

import click

from daemon.cli.terminal import styled
from daemon.client import Client
from daemon.errors import BadRequest
from daemon.paths import paths


@click.command()
@click.argument("text", required=False)
@click.option(
    "-m", "--model", default="auto", show_default=True, help="auto, local, cloud, local/NAME or PROVIDER/MODEL."
)
@click.option("--reach", type=click.Choice(["device"]), help="Keep this question on this machine, whatever the policy.")
def ask(text: str | None, model: str, reach: str | None) -> None:
    """Ask one question.

    TEXT is the question; without it, standard input is.
    """
    if text is None:
        if sys.stdin.isatty():
            raise BadRequest('say what to ask: nearloop ask "What is 2 + 2?"')
        text = sys.stdin.buffer.read().decode(errors="replace")
    if not text.strip():
        raise BadRequest("the question is empty")
    with Client(paths()) as client:
        for words in client.ask(model, text, reach):
            click.echo(words, nl=False)
        click.echo()
        if client.confidence == "below":
            styled("not sure: this is the best answer that could be had", err=True, fg="yellow")
        if sys.stderr.isatty() and client.record_id:
            styled(f"nearloop why {client.record_id[:8]}", err=True, dim=True)

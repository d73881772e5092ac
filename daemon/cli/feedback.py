"""`nearloop feedback`: say whether a local answer was right."""

from __future__ import annotations

from typing import Literal

import click

from daemon.client import Client
from daemon.paths import paths


@click.command()
@click.argument("id")
@click.argument("verdict", type=click.Choice(["right", "wrong"]))
def feedback(id: str, verdict: Literal["right", "wrong"]) -> None:
    """Say whether the local answer of record ID was right.

    Later answers of that kind are judged by it, and a promise that does not hold is taken back. Nothing leaves this machine.
    """
    with Client(paths()) as client:
        learned = client.outcome(id, verdict == "right")
    known = "1 outcome is" if learned.outcomes == 1 else f"{learned.outcomes} outcomes are"
    click.echo(f"noted: {known} known of this model's answers of the kind {learned.family}")

"""`nearloop bench`: measure what this machine's models are worth, on questions with known answers."""

from __future__ import annotations

import click

from daemon.cli.bench_confidence import confidence


@click.group()
def bench() -> None:
    """Measure models on questions with known answers."""


bench.add_command(confidence)

"""`nearloop status`: the daemon at one glance."""

from __future__ import annotations

import click
import msgspec

from daemon import wire
from daemon.cli.terminal import row
from daemon.client import Client
from daemon.paths import paths


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
def status(as_json: bool) -> None:
    """Show the daemon, its models and what needs attention."""
    with Client(paths()) as client:
        now = client.status()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(now)).decode())
        return
    click.echo(f"Nearloop {now.version} at http://127.0.0.1:{now.port}, process {now.pid}, up {duration(now.uptime_s)}")
    for url in now.exposed:
        row(f"  other machines find it at {url}")
    kept = "records can't be read" if now.records is None else f"{now.records} records kept"
    click.echo(f"{now.requests} requests since then, {now.in_flight} in flight, {kept}")
    if now.local_only:
        click.echo("local-only: nothing leaves this machine until `nearloop local-only off`")
    if now.waiting:
        click.echo(f"{now.waiting} waiting for your word: `nearloop approvals`")
    if now.recipe is not None:
        row(f"`auto` means the recipe {now.recipe}")
    for model in now.models:
        row(f"  {model.name}: {_state(model)}")
    for warning in now.warnings:
        row(f"{warning.severity}: {warning.text}")
        row(f"  {warning.remedy}")


def _state(model: wire.Model) -> str:
    words: str = model.state
    if model.fraction is not None:
        words += f" {model.fraction:.0%}"
    if model.context_tokens:
        where = f"on {model.device} ({model.engine})" if model.device else f"({model.engine})"
        words += f" {where}, window {model.context_tokens} tokens"
    if model.running or model.waiting:
        words += f", {model.running} running, {model.waiting} waiting"
    if model.confinement:
        words += f", held by {', '.join(model.confinement)}"
    if model.restarts:
        words += f", restarted {model.restarts} times"
    return words


def duration(seconds: float) -> str:
    """For people: `42 s`, `3 min`, `2 h 5 min`, `4 d 3 h`."""
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 1:
        return f"{seconds:.0f} s"
    if hours < 1:
        return f"{minutes} min"
    if days < 1:
        return f"{hours} h {minutes % 60} min"
    return f"{days} d {hours % 24} h"

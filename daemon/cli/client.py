"""`nearloop client`: tokens for programs."""

from __future__ import annotations

from typing import Final

import click
import msgspec

from daemon import wire
from daemon.cli.terminal import row
from daemon.client import Client
from daemon.errors import NotFound
from daemon.paths import paths

NONE: Final = "none"


@click.group()
def client() -> None:
    """Give programs tokens of their own, or take them back."""


@client.command()
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, help="infer:local, infer:cloud, read:records or admin; repeatable.")
def add(name: str, scopes: tuple[str, ...]) -> None:
    """Make a token for the program NAME and show it, this once."""
    with Client(paths()) as daemon:
        made = daemon.add_client(name, scopes or None)
        found = (daemon.url, *daemon.status().exposed)
    click.echo(f"Programs ask at {' or, from elsewhere, '.join(found)}")
    click.echo(f"A token for {made.name} with {', '.join(made.scopes)}; it is not shown again:")
    click.echo(made.token)


@client.command(name="list")
def list_() -> None:
    """Show who has a token."""
    with Client(paths()) as daemon:
        found = daemon.clients().clients
    if not found:
        click.echo("no client has a token: `nearloop client add NAME` makes one")
    for info in found:
        row(f"{info.name}: {', '.join(info.scopes)}; today {_today(info)}")


@client.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Take the token of NAME back."""
    with Client(paths()) as daemon:
        daemon.revoke_client(name)
    click.echo(f"the token of {name} is no longer valid")


class _Limit(click.ParamType[float | str]):
    """A number above 0, or `none`."""

    name = "N|none"

    def __init__(self, whole: bool) -> None:
        self._whole = whole

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        if value == NONE:
            return NONE
        try:
            number = int(str(value)) if self._whole else float(str(value))
        except ValueError:
            number = 0
        if not 0 < number <= (wire.MOST_PER_DAY if self._whole else wire.MOST_USD_PER_DAY):
            self.fail(f"a {'whole ' if self._whole else ''}number above 0, or none", param, ctx)
        return number


@client.command()
@click.argument("name")
@click.option("--requests", type=_Limit(whole=True), help="How often it may ask a day.")
@click.option("--tokens", type=_Limit(whole=True), help="How many tokens it may have read and written a day.")
@click.option("--cost", type=_Limit(whole=False), help="What it may cost a day, in USD, by the prices that are known.")
def limit(name: str, requests: float | str | None, tokens: float | str | None, cost: float | str | None) -> None:
    """Say what the program NAME may take a day, from midnight to midnight; without options, show it.

    What is over a limit is refused. Options that are left out stay as they are, `none` takes a limit away.
    """
    with Client(paths()) as daemon:
        found = _find(daemon.clients().clients, name)
        told = {"requests": requests, "tokens": tokens, "cost_usd": cost}
        changes = {key: None if value == NONE else value for key, value in told.items() if value is not None}
        if changes:
            per_day = msgspec.convert(msgspec.to_builtins(found.per_day) | changes, wire.PerDay)
            found = _find(daemon.limit_client(name, per_day).clients, name)
    click.echo(f"{found.name} may take a day: {_limits(found.per_day)}")
    click.echo(f"today {_today(found)}")


def _find(clients: tuple[wire.ClientInfo, ...], name: str) -> wire.ClientInfo:
    for info in clients:
        if info.name == name:
            return info
    raise NotFound(f"no client {name} has a token: `nearloop client list` shows them")


def _limits(per_day: wire.PerDay) -> str:
    parts = []
    if per_day.requests is not None:
        parts.append(f"{per_day.requests:,} requests")
    if per_day.tokens is not None:
        parts.append(f"{per_day.tokens:,} tokens")
    if per_day.cost_usd is not None:
        parts.append(f"${per_day.cost_usd:.12g}")
    return ", ".join(parts) or "as much as it likes"


def _today(info: wire.ClientInfo) -> str:
    today, may = info.today, info.per_day
    unpriced = f" (and {today.unpriced} calls of unknown price)" if today.unpriced else ""
    return ", ".join(
        (
            f"{today.requests:,}{_of(may.requests)} requests",
            f"{today.tokens:,}{_of(may.tokens)} tokens",
            f"${today.cost_usd:.4f}{f' of ${may.cost_usd:.12g}' if may.cost_usd is not None else ''}{unpriced}",
        )
    )


def _of(limit: int | None) -> str:
    return f" of {limit:,}" if limit is not None else ""

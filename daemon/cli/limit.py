"""`nearloop limit`: what may be spent in clouds."""

from __future__ import annotations

from typing import Final

import click

from daemon import wire
from daemon.cli.spend import limit as told
from daemon.cli.terminal import row
from daemon.client import Client
from daemon.errors import BadRequest
from daemon.paths import paths

NONE: Final = "none"
MOST_USD: Final = 1_000_000


class _Usd(click.ParamType[float | str]):
    """From 0 on, or `none`."""

    name = "USD|none"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        if value == NONE:
            return NONE
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if not 0 <= number <= MOST_USD:
            self.fail("USD from 0 on, or none", param, ctx)
        return number


@click.command()
@click.option("--provider", help="At this provider.")
@click.option("--project", help="For this project.")
@click.option("--client", "by_client", help="By this client.")
@click.option("--day", type=_Usd(), help="What may be spent from midnight to midnight, in USD.")
@click.option("--month", type=_Usd(), help="What may be spent in a month, in USD.")
@click.option("--warn-at", type=click.FloatRange(0, 1, min_open=True), help="From which share on to tell; usually 0.8.")
def limit(
    provider: str | None,
    project: str | None,
    by_client: str | None,
    day: float | str | None,
    month: float | str | None,
    warn_at: float | None,
) -> None:
    """Say what may be spent in clouds, by all or at one of the three; without amounts, show all limits.

    Beyond a limit models on this machine answer. Options that are left out stay as they are, `none` takes a limit away.
    """
    named = [
        (scope, name) for scope, name in (("provider", provider), ("project", project), ("client", by_client)) if name
    ]
    if len(named) > 1:
        raise BadRequest("a limit is of one provider, one project, one client, or all: give one of them")
    scope, name = named[0] if named else ("all", "")
    with Client(paths()) as daemon:
        found = daemon.spending()
        if (day, month, warn_at) != (None, None, None):
            found = daemon.limit_spending(_changed(found, scope, name, day, month, warn_at))
    for each in found.limits:
        row(told(each))
    if not found.limits:
        click.echo("nothing limits what may be spent: `nearloop limit --day USD` does")


def _changed(
    found: wire.SpendingReport,
    scope: str,
    name: str,
    day: float | str | None,
    month: float | str | None,
    warn_at: float | None,
) -> wire.NewLimit:
    """What there is of it, with what was said."""
    own = {each.period: each for each in found.limits if (each.scope, each.name) == (scope, name)}

    def said(wanted: float | str | None, period: str) -> float | None:
        if wanted is None:
            return own[period].limit_usd if period in own else None
        return None if isinstance(wanted, str) else wanted

    before = next((each.warn_at for each in own.values()), None)
    return wire.NewLimit(
        scope,  # type: ignore[arg-type]  # one of those above
        name,
        said(day, "day"),
        said(month, "month"),
        warn_at if warn_at is not None else before,
    )

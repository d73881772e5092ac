"""`nearloop spend`: what was spent in clouds, and what answers from here saved."""

from __future__ import annotations

import click
import msgspec

from daemon import wire
from daemon.cli.terminal import row
from daemon.client import Client
from daemon.paths import paths

BY = ("client", "project", "provider", "model", "session", "day")


@click.command()
@click.option("--by", type=click.Choice(BY), default="provider", show_default=True, help="Whose sums to show.")
@click.option("--since", help="today (as without it), month, an age (7d) or a date (2026-11-30): whole days count.")
@click.option("--json", "as_json", is_flag=True, help="Print the daemon's answer.")
def spend(by: str, since: str | None, as_json: bool) -> None:
    """Show what was spent in clouds, and what answers from here saved."""
    with Client(paths()) as daemon:
        found = daemon.spending(by, since)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in told(found):
        row(line)


def told(found: wire.SpendingReport) -> list[str]:
    """As lines."""
    lines = [f"Since {found.since}: {_money(found.whole)}."]
    lines += [f"{each.name or '(none)'}: {_money(each)}" for each in found.rows]
    lines += _here(found.whole)
    lines += [limit(each) for each in found.limits]
    return lines


def limit(each: wire.SpendingLimit) -> str:
    """How one stands."""
    whose = "all" if each.scope == "all" else f"{each.scope} {each.name}"
    state = ": reached, models on this machine answer" if each.reached else ": near" if each.near else ""
    until = f"{each.until.astimezone():%Y-%m-%d %H:%M}"
    return f"Limit of {whose}: ${each.spent_usd:.4f} of ${each.limit_usd:.12g} a {each.period}, until {until}{state}"


def _money(sums: wire.Sums) -> str:
    beyond = sums.priced + sums.plan + sums.unpriced
    parts = [f"${sums.cost_usd:.6f} for {_counted(sums.priced, 'call')}"] if sums.priced or not beyond else []
    if sums.plan:
        parts.append(f"plan: {_counted(sums.plan, 'call')} that a subscription pays for")
    if sums.unpriced:
        parts.append(f"unknown: {_counted(sums.unpriced, 'call')} whose price nobody knows")
    if sums.free:
        parts.append(f"{_counted(sums.free, 'call')} on machines of yours or refused, which cost nothing")
    cached = f" ({sums.cached_tokens:,} of them from a cache)" if sums.cached_tokens else ""
    parts.append(f"{sums.prompt_tokens:,} tokens read{cached}, {sums.completion_tokens:,} written")
    if sums.reckoned:
        parts.append(f"{_counted(sums.reckoned, 'call')} reckoned, since nobody told what they took")
    if sums.lost:
        parts.append(f"{_counted(sums.lost, 'call')} for nothing: ${sums.lost_usd:.6f}")
    return "; ".join(parts)


def _here(whole: wire.Sums) -> list[str]:
    """What this machine did, and what that saved."""
    if not whole.answers and not whole.aside_s:
        return []
    energy = f", {whole.joules:,.0f} J of the whole machine in {whole.measured} of them" if whole.measured else ""
    lines = [f"Answered here: {whole.answers:,} in {whole.local_s:,.1f} s{energy}."]
    if whole.aside_s:
        lines.append(f"Beside that this machine worked {whole.aside_s:,.1f} s on drafts that others answered after.")
    if whole.compared:
        lines.append(
            f"An estimate of what that saved: ${whole.saved_usd:.6f}, for {whole.compared} of {whole.answers} answers, "
            "against asking the cloud always: the tokens counted here, at its list price without its cache, although it "
            "would have counted and written others."
        )
    elif whole.answers:
        lines.append("What that saved is not known: no price of a cloud model is, or none is set up.")
    return lines


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

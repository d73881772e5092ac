"""`nearloop records`: what was answered."""

from __future__ import annotations

import click
import msgspec

from daemon import wire
from daemon.cli.terminal import row
from daemon.client import Client
from daemon.paths import paths


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
@click.option("--since", metavar="AGE", help="Only what is younger, for example 12h or 7d.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@click.pass_context
def records(context: click.Context, as_json: bool, since: str | None, limit: int) -> None:
    """List what was answered, newest first."""
    if context.invoked_subcommand:
        return
    with Client(paths()) as client:
        found = client.records(since, limit)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    if not found.records:
        click.echo("no records yet" if since is None else "no records in that time")
    for record in found.records:
        row(_line(record))


def _line(record: wire.Record) -> str:
    by = record.attempts[-1] if record.attempts else None
    who = f"{by.provider}/{by.model}" if by else record.model
    when = record.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    tokens = f"{record.ledger.prompt_tokens}+{record.ledger.completion_tokens} tokens"
    what = record.outcome if record.error is None else f"{record.outcome}: {record.error}"
    return (
        f"{record.id}  {when}  {who:34}  {record.took_ms / 1000:7.2f} s  {tokens:18}  left: {record.egress:6}  {what}"
    )


@records.command()
@click.option("--older-than", metavar="AGE", default="0s", help="Keep what is younger, for example 7d.")
@click.confirmation_option("--yes", prompt="Delete these records?")
def purge(older_than: str) -> None:
    """Delete records, and their words if they were kept."""
    with Client(paths()) as client:
        click.echo(f"{client.purge(older_than).deleted} records deleted")

"""`nearloop approvals`: what waits for your word, and your answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

import click
import msgspec

from daemon.client import Client
from daemon.errors import BadRequest
from daemon.paths import paths
from daemon.wire import Approval, NewAnswer


@click.group(invoke_without_command=True)
@click.pass_context
def approvals(context: click.Context) -> None:
    """Show what waits for your word, and let it leave or not."""
    if context.invoked_subcommand is None:
        context.invoke(list_, as_json=False)


@approvals.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the daemon's answer.")
def list_(as_json: bool) -> None:
    """List what waits: requests that may leave if you let them, and tool calls with a secret."""
    with Client(paths()) as client:
        found = client.approvals()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    if not found.approvals:
        click.echo("nothing waits for your word")
    for each in found.approvals:
        click.echo(f"{each.id}  {_left(each)}  {_what(each)}: {', '.join(_counted(each))}")


@approvals.command()
@click.argument("id")
@click.option("--json", "as_json", is_flag=True, help="Print the daemon's answer.")
def show(id: str, as_json: bool) -> None:
    """Show what would leave, word for word. ID is its own, or its record's."""
    with Client(paths()) as client:
        found = client.approval(id)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in told(found):
        click.echo(line)


@approvals.command()
@click.argument("id")
@click.option("--masked", is_flag=True, help="With an alias in place of each value.")
@click.option("--session", is_flag=True, help="And for the rest of this client's session.")
@click.option("--project", is_flag=True, help="And for good, for this client; it has to have a token.")
def allow(id: str, masked: bool, session: bool, project: bool) -> None:
    """Let what ID holds leave, this once if nothing else is said."""
    if masked + session + project > 1:
        raise BadRequest("say one of --masked, --session and --project")
    scope: Literal["once", "session", "project"] = "session" if session else "project" if project else "once"
    with Client(paths()) as client:
        client.answer(id, NewAnswer("mask" if masked else "allow", scope))
    click.echo("it may leave masked" if masked else "it may leave")


@approvals.command()
@click.argument("id")
def deny(id: str) -> None:
    """Keep what ID holds on this machine."""
    with Client(paths()) as client:
        client.answer(id, NewAnswer("deny"))
    click.echo("it stays on this machine")


def told(approval: Approval) -> Iterator[str]:
    """One, as lines."""
    who = approval.client or "a program without a token"
    yield f"{approval.id}, {_what(approval)}; asked by {who}, record {approval.record}."
    yield f"{_left(approval)} are left; then it stays."
    for find in approval.finds:
        yield f"{find.count} {find.label} in {find.path}:"
        words, masked = find.words or (), find.masked
        for place in range(max(len(words), len(masked))):
            word = words[place] if place < len(words) else ""
            instead = f", masked: {masked[place]}" if place < len(masked) else ""
            yield f"  {word}{instead}"
        if find.count > max(len(words), len(masked)):
            yield f"  and {find.count - max(len(words), len(masked))} more"
    masks = ", or `--masked`" if approval.may_mask else ""
    yield f"`nearloop approvals allow {approval.id}`{masks}; `nearloop approvals deny {approval.id}`"


def _what(approval: Approval) -> str:
    to = f"{approval.provider}/{approval.model}"
    return f"a call of {approval.tool} by {to}" if approval.kind == "call" else f"a request to {to}"


def _counted(approval: Approval) -> list[str]:
    return [f"{find.count} {find.label} in {find.path}" for find in approval.finds]


def _left(approval: Approval) -> str:
    return f"{max(0, round((approval.until - datetime.now(UTC)).total_seconds()))} s"

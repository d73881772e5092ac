"""`nearloop connect`: have an editor or agent ask Nearloop, with a token of its own, and take that back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from daemon.cli.terminal import styled
from daemon.errors import BadRequest
from daemon.paths import at_home, paths
from daemon.wire import Connectable

if TYPE_CHECKING:
    from daemon.connecting.base import Client
    from daemon.connecting.work import Prospect

ENV = "env"
SHELLS = ("sh", "fish", "powershell", "cmd")


@click.command()
@click.argument("client", required=False)
@click.option("--list", "list_", is_flag=True, help="Show the clients, and which are connected.")
@click.option("--json", "as_json", is_flag=True, help="With --list: print it as JSON.")
@click.option("--undo", is_flag=True, help="Bring back what was there before, and take the token back.")
@click.option("--yes", "-y", is_flag=True, help="Don't ask.")
@click.option("--model", "models", multiple=True, help="A model to offer; repeatable. auto and local, if left out.")
@click.option("--context", type=click.IntRange(512), help="The window to tell the client, in tokens.")
@click.option("--file", "file", help="The client's settings file, if it isn't at its usual place.")
@click.option("--url", help="Where the client finds Nearloop, if that isn't this machine's loopback.")
@click.option("--shell", type=click.Choice(SHELLS), help="For env: whose words to use.")
def connect(
    client: str | None,
    list_: bool,
    as_json: bool,
    undo: bool,
    yes: bool,
    models: tuple[str, ...],
    context: int | None,
    file: str | None,
    url: str | None,
    shell: str | None,
) -> None:
    """Have CLIENT ask Nearloop.

    Shows what would change in its settings and asks. It gets a token of its own. What was there before is kept, and comes
    back with --undo. `nearloop connect env` prints the variables that most other programs read.
    """
    if list_ or client is None:
        _list(as_json)
    elif undo:
        _undo(client)
    elif client == ENV:
        _env(shell, url)
    else:
        _connect(_client(client), yes, models, context, at_home(file).absolute() if file else None, url)


def _client(name: str) -> Client:
    from daemon.connecting.registry import CLIENTS

    if name not in CLIENTS:
        raise BadRequest(f"{name} is no client known here: there are {', '.join(CLIENTS)}, and {ENV} for all others")
    return CLIENTS[name]


def _list(as_json: bool) -> None:
    found = _connectable()
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
        return
    width = max(len(each.name) for each in found)
    for each in found:
        where = f"connected to {each.url}, " if each.url and each.name != ENV else ""
        state = f"{where}as {each.token}" if each.token else ""
        click.echo(f"{each.name:{width}}  {each.title:24}  {state}".rstrip())


def _connectable() -> tuple[Connectable, ...]:
    from daemon.connecting.journal import load
    from daemon.connecting.registry import CLIENTS

    titles = {**{name: client.title for name, client in CLIENTS.items()}, ENV: "variables for a shell"}
    known = {name: load(paths(), name) for name in titles}
    return tuple(
        Connectable(name, title, *((each.url, each.token) if (each := known[name]) else ()))
        for name, title in titles.items()
    )


def _undo(name: str) -> None:
    from daemon.connecting.work import ChangedSince, undo

    if name != ENV:
        _client(name)
    try:
        restored = undo(paths(), name)
    except ChangedSince as error:
        for line in error.diff:
            click.echo(line)
        raise
    for path in restored:
        click.echo(f"{path} is {'as it was' if path.exists() else 'gone again'}")
    click.echo(f"the token of {name} is no longer valid")


def _connect(
    client: Client, yes: bool, models: tuple[str, ...], context: int | None, file: Path | None, url: str | None
) -> None:
    from daemon.clock import SystemClock
    from daemon.connecting.base import this_machine
    from daemon.connecting.files import loose
    from daemon.connecting.journal import load
    from daemon.connecting.place import link
    from daemon.connecting.work import connect, prospect

    told = link(paths(), models, context, load(paths(), client.name), url)
    machine = this_machine()
    wanted = prospect(paths(), machine, client, told.link, file)
    if not wanted.edits and not wanted.needs_token:
        click.echo(f"{client.title} is connected already, to {wanted.link.root}")
        _say_steps(wanted, fresh=False)
        return
    for edit in wanted.edits:
        if edit.before is None:
            click.echo(f"{edit.path} will be made")
        for line in edit.diff:
            styled(line, fg=_COLOURS.get(line[:1]))
    if wanted.needs_token:
        click.echo(f"A token named {wanted.name} will be made for it.")
    for note in told.notes:
        click.echo(note)
    if not yes:
        if not _is_terminal():
            raise BadRequest("nothing was changed: say --yes where nobody can be asked")
        if not click.confirm("Do that?", default=True):
            click.echo("nothing was changed")
            return
    fresh = wanted.needs_token
    done = connect(paths(), machine, wanted, file, SystemClock().now())
    for edit in done.edits:
        click.echo(f"{'changed' if edit.before is not None else 'made'} {edit.path}")
        if done.link.token.encode() in edit.after and loose(edit.path):
            click.echo(f"Warning: {edit.path} holds the token, and others on this machine may read it.", err=True)
    _say_steps(done, fresh)
    for line in done.plan.then:
        click.echo(line)


def _is_terminal() -> bool:
    return sys.stdin.isatty()


_COLOURS = {"+": "green", "-": "red"}


def _say_steps(done: Prospect, fresh: bool) -> None:
    """What is left to the user."""
    if not done.plan.steps:
        return
    click.echo(f"\n{done.client.title} keeps this where only you can put it:")
    for step in done.plan.steps:
        again = "(the token that was shown then; for another one, --undo and connect anew)"
        click.echo(f"  {step if fresh or done.client.holder == 'file' else step.replace(done.link.token, again)}")
    click.echo()


def _env(shell: str | None, url: str | None) -> None:
    from daemon.connecting.place import link
    from daemon.connecting.shells import assignments, usual_shell, variables
    from daemon.connecting.work import shell_token

    told = link(paths(), ("auto",), None, url=url)
    words = shell or usual_shell(sys.platform)
    for line in assignments(variables(told.link.root, shell_token(paths(), told.link.root)), words):
        click.echo(line)

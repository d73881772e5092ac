"""`nearloop connect`: have an editor or agent ask Nearloop, with a token of its own, and take that back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from daemon.cli.terminal import styled
from daemon.errors import BadRequest, Refused
from daemon.paths import at_home, paths
from daemon.wire import Connectable

if TYPE_CHECKING:
    from daemon.connecting.base import Client
    from daemon.connecting.place import Told
    from daemon.connecting.work import Prospect

ENV = "env"
SHELLS = ("sh", "fish", "powershell", "cmd")


@click.command()
@click.argument("client", required=False)
@click.option("--list", "list_", is_flag=True, help="Show the clients, and which are connected.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--undo", is_flag=True, help="Bring back what was there before, and take the token back.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Don't ask.")
@click.option("--model", "models", multiple=True, help="A model to offer; repeatable. auto and local, if left out.")
@click.option("--context", type=click.IntRange(512), help="The window to tell the client, in tokens.")
@click.option("--file", "file", help="The client's settings file, if it isn't at its usual place.")
@click.option("--url", help="Where the client finds Nearloop, if that isn't this machine's loopback.")
@click.option("--shell", type=click.Choice(SHELLS), help="For env: whose words to use.")
@click.option("--digest", hidden=True, help="Do it only if it still is what was shown under this digest.")
def connect(
    client: str | None,
    list_: bool,
    as_json: bool,
    undo: bool,
    dry_run: bool,
    yes: bool,
    models: tuple[str, ...],
    context: int | None,
    file: str | None,
    url: str | None,
    shell: str | None,
    digest: str | None,
) -> None:
    """Have CLIENT ask Nearloop.

    Shows what would change in its settings and asks. It gets a token of its own. What was there before is kept, and comes
    back with --undo. `nearloop connect env` prints the variables that most other programs read.
    """
    if dry_run and (list_ or undo or client in (None, ENV)):
        raise BadRequest("--dry-run shows what connecting a client would change: name one, without --list and --undo")
    if list_ or client is None:
        _list(as_json)
    elif undo:
        _undo(client, as_json)
    elif client == ENV:
        _env(shell, url)
    else:
        elsewhere = at_home(file).absolute() if file else None
        told = _told(_client(client), models, context, url)
        if as_json:
            _connect_as_json(told, _client(client), dry_run, yes, elsewhere, digest)
        else:
            _connect(told, _client(client), dry_run, yes, elsewhere)


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


def _undo(name: str, as_json: bool) -> None:
    from daemon.connecting.telling import undone_of
    from daemon.connecting.work import ChangedSince, undo

    if name != ENV:
        _client(name)
    try:
        restored = undo(paths(), name)
    except ChangedSince as error:
        for line in () if as_json else error.diff:
            click.echo(line)
        raise
    if as_json:
        click.echo(msgspec.json.encode(undone_of(name, restored)).decode())
        return
    for path in restored:
        click.echo(f"{path} is {'as it was' if path.exists() else 'gone again'}")
    click.echo(f"the token of {name} is no longer valid")


def _told(client: Client, models: tuple[str, ...], context: int | None, url: str | None) -> Told:
    from daemon.connecting.journal import load
    from daemon.connecting.place import link

    return link(paths(), models, context, load(paths(), client.name), url)


def _connect_as_json(
    told: Told, client: Client, dry_run: bool, yes: bool, file: Path | None, digest: str | None
) -> None:
    """For programs, which show it to their user: the plan, or what was done."""
    from daemon.clock import SystemClock
    from daemon.connecting.base import this_machine
    from daemon.connecting.telling import done_of, plan_of
    from daemon.connecting.work import connect, prospect

    machine = this_machine()
    wanted = prospect(paths(), machine, client, told.link, file)
    plan = plan_of(wanted, told.notes)
    if dry_run:
        click.echo(msgspec.json.encode(plan).decode())
        return
    if not yes:
        raise BadRequest(_UNASKED)
    if digest is not None and digest != plan.digest:
        raise Refused("nothing was changed: what would change is not what was shown any more, so look again")
    done = connect(paths(), machine, wanted, file, SystemClock().now())
    click.echo(msgspec.json.encode(done_of(done, wanted.needs_token)).decode())


def _connect(told: Told, client: Client, dry_run: bool, yes: bool, file: Path | None) -> None:
    from daemon.clock import SystemClock
    from daemon.connecting.base import this_machine
    from daemon.connecting.telling import done_of
    from daemon.connecting.work import connect, prospect

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
    if dry_run:
        return
    if not yes:
        if not _is_terminal():
            raise BadRequest(_UNASKED)
        if not click.confirm("Do that?", default=True):
            click.echo("nothing was changed")
            return
    fresh = wanted.needs_token
    done = connect(paths(), machine, wanted, file, SystemClock().now())
    for edit in done.edits:
        click.echo(f"{'changed' if edit.before is not None else 'made'} {edit.path}")
    for warning in done_of(done, fresh).warnings:
        click.echo(f"Warning: {warning}.", err=True)
    _say_steps(done, fresh)
    for line in done.plan.then:
        click.echo(line)


def _is_terminal() -> bool:
    return sys.stdin.isatty()


_UNASKED = "nothing was changed: say --yes where nobody can be asked"
_COLOURS = {"+": "green", "-": "red"}


def _say_steps(done: Prospect, fresh: bool) -> None:
    """What is left to the user."""
    from daemon.connecting.telling import steps_of

    if not done.plan.steps:
        return
    click.echo(f"\n{done.client.title} keeps this where only you can put it:")
    for step in steps_of(done, fresh):
        click.echo(f"  {step}")
    click.echo()


def _env(shell: str | None, url: str | None) -> None:
    from daemon.connecting.place import link
    from daemon.connecting.shells import assignments, usual_shell, variables
    from daemon.connecting.work import shell_token

    told = link(paths(), ("auto",), None, url=url)
    words = shell or usual_shell(sys.platform)
    for line in assignments(variables(told.link.root, shell_token(paths(), told.link.root)), words):
        click.echo(line)

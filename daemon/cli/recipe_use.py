"""`nearloop recipe use`, `versions` and `rollback`: which recipe the daemon routes by.

The HTTP client is imported where it is needed: the group's other commands, which share this import, need none.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from daemon.errors import NotFound
from daemon.paths import at_home, paths
from daemon.recipes.files import SUFFIXES, form_of
from daemon.recipes.loading import load
from daemon.routing.sources import source
from daemon.settings import SettingsFile
from daemon.wire import Recipes

NONE = "none"


@click.command()
@click.argument("name")
def use(name: str) -> None:
    """Route by NAME: a built-in recipe, a recipe file, or `none`.

    It is checked first, written into settings.toml, and taken in by a running daemon at once.
    """
    from daemon.client import Client, NotRunning

    where = paths()
    recipe = None if name == NONE else _whole(name)
    if recipe is not None:
        wanted = source(recipe, where.config)
        load(wanted.text, wanted.form)
    SettingsFile(where.settings).set_recipe(recipe)
    try:
        with Client(where) as client:
            client.reload_recipe()
    except NotRunning:
        click.echo(f"written; `nearloop up` starts with {recipe or NONE}")
        return
    click.echo(f"in use: {recipe or NONE}")


def _whole(name: str) -> str:
    """A file's whole path, for the daemon runs elsewhere."""
    if Path(name).suffix.lower() not in SUFFIXES:
        return name
    form_of(Path(name))
    return str(at_home(name).absolute())


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
@click.option("--diff", "number", type=int, help="Say what is different between version NUMBER and the one in use.")
def versions(as_json: bool, number: int | None) -> None:
    """List the versions of the recipe in use, the newest last."""
    from daemon.client import Client

    with Client(paths()) as client:
        if number is not None:
            for each in client.compare_recipe(number, None).differences:
                click.echo(f"{each.kind} {each.key}: {' → '.join(filter(None, (each.before, each.after)))}")
            return
        found = client.recipes()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    click.echo(f"{found.name or 'no recipe'} is in use")
    if found.failure:
        click.echo(f"not taken in: {found.failure}")
    for version in found.versions:
        mark = "*" if version.digest == found.digest else " "
        when = version.at.astimezone().strftime("%d %B %Y, %H:%M:%S")
        click.echo(f"{mark} {version.number:4}  {when}  {version.digest[:12]}  {version.why}")


@click.command()
@click.argument("version", type=int)
def rollback(version: int) -> None:
    """Use version VERSION of the recipe again. Its text is written into the recipe's file."""
    from daemon.client import Client

    with Client(paths()) as client:
        now: Recipes = client.recipes()
        if now.digest is None:
            raise NotFound("no recipe is in use: `nearloop recipe use NAME` names one")
        client.roll_back_recipe(version, now.digest)
    click.echo(f"version {version} is in use")

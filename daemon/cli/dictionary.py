"""`nearloop dictionary`: words of the user's own that are private, or that are not."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from daemon.cli.taking_in import tell_daemon
from daemon.cli.terminal import row
from daemon.errors import BadRequest, NotFound
from daemon.own_words import KINDS, fits, with_words, without
from daemon.paths import paths
from daemon.settings import Dictionary, SettingsFile
from daemon.signals.everyday import is_everyday

_REMOTE: Final = re.compile(r"[/:]([^/:\s]+)/([^/:\s]+?)(?:\.git)?/?\s")
_kind = click.option(
    "--as", "kind", type=click.Choice(list(KINDS)), default="term", help="What it is; a term if left out."
)


@click.group()
def dictionary() -> None:
    """Say which words are private though nothing shows it, and which are not though they look so."""


@dictionary.command()
@click.argument("words", nargs=-1, required=True)
@_kind
def add(words: tuple[str, ...], kind: str) -> None:
    """Take in each of WORDS: a name, a customer, a project, a table, a host."""
    known = with_words(_known(), kind, words)
    if kind != "harmless":
        _warn(words)
    _write(known, f"{_list(words)} {'is' if len(words) == 1 else 'are'} known now")


@dictionary.command("from-git")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
def from_git(folder: Path) -> None:
    """Take in the names of the repository in FOLDER and of its owners, as its remotes have them."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), "remote", "-v"], capture_output=True, text=True, timeout=20, errors="replace"
        )
    except FileNotFoundError as error:
        raise BadRequest("git is not installed: `nearloop dictionary add NAME` takes names by hand") from error
    if done.returncode != 0:
        raise BadRequest(f"{folder} is in no repository of git")
    names = dict.fromkeys(name for found in _REMOTE.finditer(done.stdout) for name in found.groups() if fits(name))
    if not names:
        raise NotFound("its remotes name no repository")
    _warn(names)
    _write(with_words(_known(), "term", tuple(names)), f"{_list(tuple(names))} known now")


@dictionary.command()
@click.argument("words", nargs=-1, required=True)
def remove(words: tuple[str, ...]) -> None:
    """Forget each of WORDS."""
    try:
        left = without(_known(), words)
    except NotFound as error:
        raise NotFound(f"{_list(words)}: {error}") from None
    _write(left, f"{_list(words)}: forgotten")


@dictionary.command("list")
def list_words() -> None:
    """Show all words, by kind."""
    known = _known()
    if known == Dictionary():
        click.echo("no words yet: `nearloop dictionary add NAME` takes one in")
    for kind, field in KINDS.items():
        for word in getattr(known, field):
            row(f"{kind:13} {word}")


def _known() -> Dictionary:
    return SettingsFile(paths().settings).settings.dictionary


def _warn(words: Iterable[str]) -> None:
    """Of what stands everywhere."""
    for word in filter(is_everyday, words):
        told = f"warning: {word} is an everyday word, and is taken for private wherever it stands from now on"
        click.echo(f"{told}; `nearloop dictionary remove {word}` takes that back", err=True)


def _write(words: Dictionary, done: str) -> None:
    SettingsFile(paths().settings).set_dictionary(words)
    tell_daemon()
    click.echo(done)


def _list(words: tuple[str, ...]) -> str:
    return ", ".join(words)

"""`nearloop models`: which models there are, where they are from, whether their files are sound. Few need a daemon."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.models_estimate import estimate, shape_for
from daemon.cli.models_import import import_
from daemon.cli.models_load import default, load, unload
from daemon.cli.models_pull import pull
from daemon.cli.taking_in import tell_daemon
from daemon.cli.terminal import row
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.inventory import inventory
from daemon.model_files import ModelFiles, Origin, sha256_of
from daemon.paths import paths
from daemon.settings import SettingsFile
from daemon.wire import Holding
from edge_models.catalog import known
from edge_models.engines.base import EngineError
from edge_models.hub_models import hub_model
from edge_models.inspection import inspect
from edge_models.memory import estimate as reckon
from edge_models.neighbours import digest_by_name

_SOURCE: Final = {
    "package": "comes with Nearloop",
    "download": "downloaded",
    "import": "your own file",
    "hub": "on the hub",
}


@click.group()
def models() -> None:
    """Fetch, adopt, examine and remove model files."""


models.add_command(pull)
models.add_command(import_)
models.add_command(estimate)
models.add_command(load)
models.add_command(unload)
models.add_command(default)


@models.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def list_(as_json: bool) -> None:
    """Show the models.

    Those in use come first, the one that `local` means in front; then those that are here, and those that can be fetched.
    """
    found = _all()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    width = max(len(holding.name) for holding in found)
    for holding in found:
        row(f"{holding.name:<{width}}  {_line(holding)}")
    click.echo("\n`nearloop models pull NAME` fetches one; `nearloop models show NAME` says more.")


def _all() -> tuple[Holding, ...]:
    where = paths()
    return inventory(SettingsFile(where.settings).settings, ModelFiles(where))


def _line(holding: Holding) -> str:
    use = "local" if holding.default else "in use" if holding.in_use else ""
    size = "" if holding.size_bytes is None else megabytes(holding.size_bytes)
    about = "" if holding.confirmed else "about "
    notes = [_SOURCE[holding.source], holding.licence or "licence unknown"]
    if holding.begun:
        notes.append("partly here")
    if not holding.runnable:
        notes.append("can't be used here yet")
    return f"{use:<6}  {holding.kind:<10}  {about + size:>13}  {', '.join(notes)}"


def megabytes(size_bytes: int) -> str:
    """For people: `386 MB`, `4.28 GB`."""
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"


@models.command()
@click.argument("name")
def show(name: str) -> None:
    """Show all that is known of NAME.

    Licence, size, origin, memory, and where its file is.
    """
    holding = _find(name)
    say = _Facts()
    say("use", "it is what `local` means" if holding.default else f"local/{name}" if holding.in_use else "not in use")
    say("kind", holding.kind)
    say("engine", holding.engine + ("" if holding.runnable else "; it can't be used here yet"))
    say("licence", holding.licence or "unknown: see where it is from")
    origin = ModelFiles(paths()).origin(name)
    packaged, model = known(name) if holding.source == "package" else None, hub_model(name)
    if packaged:
        say("from", f"the package {packaged.package} {packaged.version}")
        say("SHA-256", packaged.sha256)
        with suppress(EngineError):  # `verify` says what is missing, and how to get it
            say("path", str(_expected(holding)[0]))
    elif holding.source == "download" and origin:
        _show_origin(say, origin)
    elif holding.source == "hub" and model:
        say("from", f"{model.repository}, revision {model.revision}")
        say("window", f"{model.context_tokens} tokens")
        for file in model.files:
            say("file", f"{file.name}, {megabytes(file.size_bytes)}, SHA-256 {file.sha256 or 'not known beforehand'}")
        if not model.confirmed:
            say("note", "its size is about right, and its digest is believed when it first comes")
    if holding.path:
        say("path", holding.path)
        _show_file(say, Path(holding.path))
    with suppress(NearloopError):  # a file that doesn't tell its layers
        shape, engine, _ = shape_for(name)
        say("memory", f"{megabytes(reckon(shape, engine).total_bytes)} when it is busy")


class _Facts:
    def __call__(self, what: str, value: str) -> None:
        row(f"{what:<9} {value}")


def _show_origin(say: _Facts, origin: Origin) -> None:
    say("from", f"{origin.endpoint}, {origin.repository}, revision {origin.revision}, on {origin.at:%Y-%m-%d}")
    if origin.commit and origin.commit != origin.revision:
        say("commit", origin.commit)
    for file in origin.files:
        trusted = "as the catalogue says" if file.trusted == "catalogue" else "believed when it first came"
        say("file", f"{file.name}, {megabytes(file.size_bytes)}, SHA-256 {file.sha256}, {trusted}")


def _show_file(say: _Facts, path: Path) -> None:
    try:
        seen = inspect(path)
    except EngineError as error:
        say("note", str(error))
        return
    say("form", " ".join(filter(None, (seen.form, seen.architecture, seen.quantisation))))
    say("size", megabytes(seen.size_bytes))
    if seen.shape:
        say("window", f"{seen.shape.context_tokens} tokens")
    if seen.note:
        say("note", seen.note)


def _find(name: str) -> Holding:
    found = next((holding for holding in _all() if holding.name == name), None)
    if found is None:
        raise NotFound(f"no model is called {name}: `nearloop models list` shows them")
    return found


@models.command()
@click.argument("name", required=False)
def verify(name: str | None) -> None:
    """See whether files are sound.

    Reads those of NAME, or of all models that are here, to the last byte, and compares their digests. Exit status 1 if one
    is damaged.
    """
    chosen = [_find(name)] if name else [holding for holding in _all() if holding.source != "hub"]
    damaged = False
    for holding in chosen:
        fault = _fault(holding)
        damaged = damaged or fault is not None
        click.echo(f"{holding.name}: {fault or _sound(holding)}")
    if damaged:
        sys.exit(1)


def _fault(holding: Holding) -> str | None:
    """What is wrong, and what to do about it."""
    if holding.begun:
        raise NotFound(
            f"{holding.name} is only partly here: the command that began it goes on, `nearloop models remove "
            f"{holding.name}` deletes it"
        )
    if holding.source == "hub":
        raise NotFound(f"{holding.name} is not here: `nearloop models pull {holding.name}` fetches it")
    if holding.source == "download":
        here = ModelFiles(paths())
        origin = here.owner(holding.path or "") or here.origin(holding.name)
        if origin and (names := here.damaged(origin)):
            again = f"`nearloop models remove --force {holding.name}` and fetch it again"
            return f"damaged: {', '.join(names)}; {again}"
        return None
    try:
        path, wanted = _expected(holding)
        if wanted and sha256_of(path) != wanted:
            return "damaged: its digest is another than its name or package says; fetch it again where it came from"
        if holding.engine != "scripted":
            inspect(path)
    except EngineError as error:
        return f"damaged: {error}"
    return None


def _expected(holding: Holding) -> tuple[Path, str | None]:
    """The file, and the SHA-256 that somebody names it by."""
    packaged = known(holding.name) if holding.source == "package" else None
    if packaged:
        from edge_models.store import locate

        return locate(packaged), packaged.sha256
    path = Path(holding.path or "")
    return path, digest_by_name(path)


def _sound(holding: Holding) -> str:
    unnamed = holding.source == "import" and _expected(holding)[1] is None
    return "readable; nobody says what its digest should be" if unnamed else "ok"


@models.command()
@click.argument("name")
@click.option("--force", is_flag=True, help="Also if `local` means this model.")
def remove(name: str, force: bool) -> None:
    """Take NAME out of use.

    Its files are deleted if Nearloop fetched them. Files of yours and of other programs are not touched.
    """
    where = paths()
    here, file = ModelFiles(where), SettingsFile(where.settings)
    if name not in file.settings.models and not (_is_folder(here, name) and here.begun(name)):
        if known(name):
            raise BadRequest(f"{name} comes with Nearloop: there is nothing to remove")
        raise NotFound(f"no model called {name} is in use or was fetched: `nearloop models list` shows them")
    mine = file.settings.models.get(name)
    if mine and next(iter(file.settings.models)) == name and not force:
        raise BadRequest(f"`local` means {name}: `nearloop models remove --force {name}` removes it all the same")
    fetched = _is_folder(here, name) and here.begun(name) and (mine is None or here.owner(mine.path) is not None)
    lock = here.lock(name) if fetched else None
    try:
        if mine:
            file.remove_model(name)
            click.echo(f"{name} is no longer in use" + ("" if fetched else f"; {mine.path} stays where it is"))
            tell_daemon()
        if fetched:
            if file.settings.signals.entailment == str(here.directory(name)):
                file.set_entailment(None)
                click.echo("/api/v1/nli answers no more from the next start of the daemon on")
            if file.settings.signals.pictures == str(here.directory(name)):
                file.set_pictures(None)
                click.echo("rules about what pictures show can't look from the next start of the daemon on")
            here.remove(name)
            click.echo(f"its files are deleted from {here.directory(name)}")
    finally:
        if lock:
            lock.release()


def _is_folder(here: ModelFiles, name: str) -> bool:
    try:
        here.directory(name)
    except BadRequest:
        return False
    return True

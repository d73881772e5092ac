"""`nearloop models import`: use a model file where it is, another program's or one's own. Nothing is copied."""

from __future__ import annotations

import os
from pathlib import Path

import click

from daemon.cli.models_pull import look_with, put_to_use, sees_pictures
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.paths import at_home, paths
from daemon.settings import MODEL_NAME, SettingsFile
from edge_models.engines.base import EngineError
from edge_models.inspection import inspect
from edge_models.neighbours import Neighbour, model_name, neighbours


@click.command(name="import")
@click.argument("model", required=False)
@click.option("--name", help="What to call it here.")
def import_(model: str | None, name: str | None) -> None:
    """Use MODEL where it is.

    MODEL is a GGUF file, an OpenVINO folder, a folder of an encoder of pictures (SigLIP), or a name that this command lists
    if you give none. It finds what Ollama, LM Studio and the Hugging Face cache have on this machine. Nothing is copied,
    moved or changed.
    """
    found = neighbours(os.environ, Path.home())
    if model is None:
        _list(found)
        return
    path, shown = _meant(model, found)
    if path.is_dir() and sees_pictures(path):
        look_with(path)
        return
    name = name or model_name(shown)
    if not MODEL_NAME.fullmatch(name):
        raise BadRequest("a model's name is 1 to 100 of A-Z, a-z, 0-9 and . _ : -: choose one with --name")
    row = SettingsFile(paths().settings).settings.models.get(name)
    if row and Path(row.path) != path:
        raise BadRequest(f"[models.{name}] in settings.toml is another file: choose another --name")
    try:
        seen = inspect(path)
    except EngineError as error:
        raise NearloopError(f"{path} can't be used: {error}") from error
    if seen.engine is None:
        raise NearloopError(f"{path} can't be used: {seen.note}")
    if seen.note:
        click.echo(f"caution: {seen.note}")
    put_to_use(name, str(path), seen.engine)
    click.echo(f"{name}: {path}, used where it is")


def _list(found: tuple[Neighbour, ...]) -> None:
    if not found:
        click.echo(
            "nothing found in the folders of Ollama, LM Studio and the Hugging Face cache: give the path of a file"
        )
    used = {row.path for row in SettingsFile(paths().settings).settings.models.values()}
    for each in found:
        mark = ", in use" if each.path in used else ""
        click.echo(f"{each.program}/{each.name}  {each.size_bytes / 1e6:.0f} MB{mark}\n    {each.path}")


def _meant(model: str, found: tuple[Neighbour, ...]) -> tuple[Path, str]:
    """The path, and what to call it. Raises NotFound, or BadRequest where two are called so."""
    named = [each for each in found if model in (each.name, f"{each.program}/{each.name}")]
    if len(named) > 1:
        raise BadRequest(f"two are called so: say {' or '.join(f'{each.program}/{each.name}' for each in named)}")
    if named:
        return Path(named[0].path), named[0].name
    path = at_home(model).absolute()  # not resolved: a link of a cache tells what it is
    if not path.exists():
        raise NotFound(f"there is no file {path}, and `nearloop models import` lists no such name")
    return path, path.name if path.is_dir() else path.stem

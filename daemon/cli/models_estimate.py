"""`nearloop models estimate`: how much memory a model takes, before it is loaded or even fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
import psutil

from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.model_files import ModelFiles
from daemon.paths import at_home, paths
from daemon.pool import local_models
from daemon.settings import SettingsFile
from edge_models.catalog import known
from edge_models.engines.base import EngineError
from edge_models.hub_models import hub_model
from edge_models.inspection import inspect
from edge_models.memory import Shape
from edge_models.memory import estimate as reckon

_SHARE: Final = 0.8
"""Of all memory that a model may take before the rest of the machine has to swap; a rule of thumb, not a measurement."""


@click.command()
@click.argument("model")
@click.option("--context", type=click.IntRange(1), help="For a window of so many tokens, instead of the engine's.")
def estimate(model: str, context: int | None) -> None:
    """Say how much memory MODEL takes when it is busy.

    MODEL is a name or a file. It is not loaded, and need not even be fetched.
    """
    shape, engine, sure = shape_for(model)
    if context and context > shape.context_tokens:
        raise BadRequest(f"{model} was trained for a window of {shape.context_tokens} tokens")
    found = reckon(shape, engine, context)
    cache = f"{found.windows} windows of {found.context_tokens} tokens" if found.cache_bytes else "none is kept"
    click.echo(f"weights    {_shown(found.weights_bytes)}")
    click.echo(f"KV cache   {_shown(found.cache_bytes)}  {cache}")
    click.echo(f"engine     {_shown(found.fixed_bytes)}  {engine}")
    click.echo(f"together   {_shown(found.total_bytes)}  when it is busy; less before that")
    if not sure:
        click.echo("by the catalogue's numbers; its own header is asked once it is here")
    memory = psutil.virtual_memory()
    have = f"{_shown(memory.total).strip()}, of which {_shown(memory.available).strip()} are free now"
    if found.total_bytes > _SHARE * memory.total:
        click.echo(f"It does not fit this machine, which has {have}.")
    elif found.total_bytes > memory.available:
        click.echo(f"It fits this machine once other programs give memory back: it has {have}.")
    else:
        click.echo(f"It fits this machine, which has {have}.")


def _shown(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:6.2f} GB"


def shape_for(model: str) -> tuple[Shape, str, bool]:
    """A model's numbers, the engine that would run it, and whether they are from its own header."""
    path = _path(model)
    entry = hub_model(model)
    if path is None:
        if entry is None:
            raise NotFound(f"no model and no file is called {model}: `nearloop models list` shows the models")
        return entry.shape, entry.engine, False
    try:
        seen = inspect(path)
    except EngineError as error:
        raise NearloopError(f"{path}: {error}") from error
    if seen.shape is None:
        raise NearloopError(f"{path} does not tell its layers and heads, so its memory can't be reckoned")
    return seen.shape, seen.engine or "llama-cpp", True


def _path(model: str) -> Path | None:
    """Its file, if it is here."""
    where = paths()
    ref = next((ref for ref in local_models(SettingsFile(where.settings).settings) if ref.name == model), None)
    if ref and ref.path is not None:
        return Path(ref.path)
    if packaged := known(model):
        from edge_models.store import locate

        try:
            return locate(packaged)
        except EngineError as error:
            raise NearloopError(str(error)) from error
    here = ModelFiles(where)
    if origin := here.origin(model):
        return here.path(origin)
    path = at_home(model)
    return path if hub_model(model) is None and path.exists() else None

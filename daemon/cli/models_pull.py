"""`nearloop models pull`: fetch a model from a hub, and put it to use. It needs no daemon, and tells one that runs."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from daemon.boundary.switch import Switch
from daemon.cli.taking_in import tell_daemon
from daemon.cli.terminal import plain
from daemon.clock import SystemClock
from daemon.errors import BadRequest, NearloopError, NotFound
from daemon.model_files import ModelFiles, Origin, file_name
from daemon.paths import paths
from daemon.receipts.store import Receipts, of_command
from daemon.settings import LocalModel, SettingsFile
from daemon.version import version
from edge_models.engines.base import EngineError
from edge_models.engines.registry import installed
from edge_models.hub_models import hub_model
from edge_models.inspection import inspect

_STEP: Final = 10
"""Per cent between two lines where there is no terminal."""
_EVERY_S: Final = 0.25


@click.command()
@click.argument("model")
@click.argument("file", required=False)
@click.option("--revision", default="main", help="Of a repository: a commit, branch or tag.")
@click.option("--name", help="What to call it here.")
@click.option("--anyway", is_flag=True, help="Fetch it even if nothing here can run it yet.")
@click.option("--json", "as_json", is_flag=True, help="Print progress as lines of JSON.")
def pull(model: str, file: str | None, revision: str, name: str | None, anyway: bool, as_json: bool) -> None:
    """Fetch MODEL and put it to use.

    MODEL is a name that `models list` shows, or ORGANISATION/REPOSITORY with one of its files as FILE. The hub is
    https://huggingface.co, or what HF_ENDPOINT names; HF_TOKEN opens gated repositories. A fetch that was stopped goes on
    where it was when the same command is given again.
    """
    Switch(paths().local_only).require_off("a pull's request")
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        raise BadRequest("HF_HUB_OFFLINE is set, so nothing is fetched: unset it, or adopt a file with `models import`")
    entry = hub_model(model)
    if entry and entry.why_not and not anyway:
        raise BadRequest(f"{model}: {entry.why_not}; with --anyway its file is fetched and kept all the same")
    if entry is None and "/" not in model:
        raise NotFound(
            f"no model is called {model}: `nearloop models list` shows those known by name; others are fetched as "
            "ORGANISATION/REPOSITORY FILE"
        )
    if entry and (file or revision != "main" or name):
        raise BadRequest(f"{model} is known by its name: give no file, revision or other name with it")
    try:
        with of_command(paths().receipts, "models pull") as receipts:
            origin = asyncio.run(_fetched(model, file, revision, name, as_json, receipts))
    except KeyboardInterrupt:
        click.echo("\nstopped; what came is kept, and the same command goes on from there", err=True)
        raise SystemExit(130) from None
    _put_to_use(origin, strict=as_json)


async def _fetched(
    model: str, file: str | None, revision: str, name: str | None, as_json: bool, receipts: Receipts
) -> Origin:
    from daemon.downloads import PUBLIC_HUB, Hub
    from daemon.pulls import plan_for, plan_of
    from daemon.pulls import pull as carry_out

    entry = hub_model(model)
    here = ModelFiles(paths())
    token = os.environ.get("HF_TOKEN", "").strip() or None
    async with Hub(os.environ.get("HF_ENDPOINT") or PUBLIC_HUB, token, version(), receipts.witness()) as hub:
        plan = plan_of(entry) if entry else await plan_for(hub, model, file, revision, name)
        _check_free(plan.name, here)
        with here.lock(plan.name):
            had = here.origin(plan.name)
            if had and (had.repository, had.revision) != (plan.repository, plan.revision):
                raise BadRequest(
                    f"{plan.name} is here already, from {had.repository}: remove it first, or choose another --name"
                )
            if had and not here.damaged(had):
                click.echo(f"{plan.name} is here already, and sound")
                return had
            click.echo(f"fetching {plan.name} from {plan.repository}")
            digests = {file_name(each.name): each.sha256 for each in plan.files}
            bar, progress = (nullcontext(), _lines(digests)) if as_json else _progress()
            with bar:
                return await carry_out(plan, hub, here, SystemClock().now(), progress)


def _check_free(name: str, here: ModelFiles) -> None:
    """Raise BadRequest if the settings mean something else by this name."""
    row = SettingsFile(paths().settings).settings.models.get(name)
    directory = here.directory(name)
    if row and directory not in (Path(row.path), Path(row.path).parent):
        raise BadRequest(f"[models.{name}] in settings.toml is another file: choose another --name")


def _put_to_use(origin: Origin, strict: bool) -> None:
    """Write it into the settings, if an engine here runs it. strict: raise NearloopError if none does."""
    here = ModelFiles(paths())
    path = here.path(origin)
    click.echo(f"{origin.name}: {path}")
    if origin.licence:
        click.echo(f"licence: {origin.licence}")
    for file in origin.files:
        if file.trusted == "first-download":
            click.echo(
                f"no catalogue has a digest of {file.name}: what came is believed, and held to {file.sha256} from now on"
            )
    entry = hub_model(origin.name)
    if path.is_dir() and judges_entailment(path):
        _judge_with(path)
        return
    if path.is_dir() and sees_pictures(path):
        look_with(path)
        return
    try:
        seen = inspect(path)
    except EngineError as error:
        raise NearloopError(f"{origin.name} was fetched and can't be used: {error}") from error
    why_not = (entry.why_not if entry else None) or (None if seen.engine else seen.note or "no engine reads it")
    engine = (entry.engine if entry else None) or seen.engine
    if why_not or engine is None:
        if strict:
            raise NearloopError(f"{origin.name} is kept and not put to use: {why_not}")
        click.echo(f"It is kept and not put to use: {why_not}")
        return
    if seen.note:
        click.echo(f"caution: {seen.note}")
    if not installed(engine):
        click.echo(f"caution: its engine, {engine}, is not installed: docs/config.md says how")
    put_to_use(origin.name, str(path), engine)


def _judge_with(path: Path) -> None:
    """Have a model answer /api/v1/nli, unless another one does."""
    file = SettingsFile(paths().settings)
    if file.settings.signals.entailment not in (None, str(path)):
        click.echo("/api/v1/nli answers with another one: `entailment` under [signals] in settings.toml names it")
        return
    file.set_entailment(str(path))
    click.echo("/api/v1/nli answers with it from the next start of the daemon on")


def look_with(path: Path) -> None:
    """Have a model tell how like texts pictures are, unless another one does."""
    file = SettingsFile(paths().settings)
    if file.settings.signals.pictures not in (None, str(path)):
        click.echo("another model looks at pictures: `pictures` under [signals] in settings.toml names it")
        return
    file.set_pictures(str(path))
    click.echo("rules about what pictures show ask it from the next start of the daemon on")


def sees_pictures(path: Path) -> bool:
    """Whether a model's directory is an encoder of pictures and texts."""
    from edge_models.siglip import reads_pictures  # it loads numpy

    return reads_pictures(path)


def judges_entailment(path: Path) -> bool:
    """Whether a fetched model is one that compares a premise with a hypothesis."""
    from edge_models.classifiers.entailment import is_entailment  # it loads numpy

    return is_entailment(path)


def put_to_use(name: str, path: str, engine: str) -> None:
    """Have `local/NAME` answer: in the settings, and in a daemon that runs."""
    file = SettingsFile(paths().settings)
    if name not in file.settings.models:
        file.add_model(name, msgspec.convert({"path": path, "engine": engine}, LocalModel))
    first = next(iter(file.settings.models)) == name
    click.echo(f"`local/{name}` answers with it" + (", and so does `local`" if first else ""))
    if not first:
        click.echo(f"`nearloop models default {name}` has `local` mean it.")
    tell_daemon()


def _lines(digests: dict[str, str | None]) -> Callable[[str, int, int | None], None]:
    """Lines of JSON in the form that Ollama's clients read, some a second, and one for each file's end."""
    last = 0.0

    def line(file: str, done: int, whole: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if done == whole or now - last >= _EVERY_S:
            last = now
            digest = digests.get(file)
            said: dict[str, Any] = {"status": f"pulling {file}", "digest": f"sha256:{digest}" if digest else file}
            said |= {"completed": done} if whole is None else {"total": whole, "completed": done}
            click.echo(msgspec.json.encode(said).decode())

    return line


def _progress() -> tuple[AbstractContextManager[Any], Callable[[str, int, int | None], None]]:
    """A bar on a terminal, a line for each tenth elsewhere."""
    if not sys.stdout.isatty():
        told: dict[str, int] = {}

        def line(file: str, done: int, whole: int | None) -> None:
            tenth = 100 * done // whole // _STEP * _STEP if whole else 0
            if told.get(file) != tenth:
                told[file] = tenth
                click.echo(f"{file}: {tenth} %" if whole else f"{file}: {done >> 20} MB")

        return nullcontext(), line

    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    )
    tasks: dict[str, Any] = {}

    def show(file: str, done: int, whole: int | None) -> None:
        if file not in tasks:
            tasks[file] = bar.add_task(escape(plain(file)), total=whole)
        bar.update(tasks[file], completed=done, total=whole)

    return bar, show

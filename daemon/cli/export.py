"""`nearloop export`: turn a Hugging Face directory into a small OpenVINO model, held to its original."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import click

from daemon.errors import BadRequest, NearloopError

_TASKS = ("text-classification", "token-classification", "entailment", "feature-extraction", "text-generation")
_CALIBRATED = ("text-classification", "token-classification", "entailment")


@click.command()
@click.argument("directory", metavar="HF_DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--task", required=True, type=click.Choice(_TASKS), help="What the model does.")
@click.option("--weights", default="int8", show_default=True, type=click.Choice(["int8", "int4"]))
@click.option(
    "--activations",
    type=click.Choice(["int8", "float"]),
    help="int8 is the fastest and needs int8 weights; the default for classification and entailment. Else float.",
)
@click.option("--to", "target", type=click.Path(path_type=Path), help="The new directory; HF_DIR-WEIGHTS if left out.")
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Texts of yours, one a line; a tabulator parts pairs.",
)
@click.option("--floor", type=float, help="What the task's measure has to reach; see docs/export.md for the defaults.")
def export(
    directory: Path,
    task: str,
    weights: str,
    activations: str | None,
    target: Path | None,
    data: Path | None,
    floor: float | None,
) -> None:
    """Turn a Hugging Face directory into a small OpenVINO model.

    It is compared with the original, and deleted if it is too far from it.
    """
    from edge_models.engines.base import EngineError
    from edge_models.training.artefact import Recipe
    from edge_models.training.export import Refused
    from edge_models.training.export import export as make
    from edge_models.training.report import table
    from edge_models.training.samples import PAIRS, SAMPLES, read_pairs, read_texts

    activations = activations or ("int8" if task in _CALIBRATED and weights == "int8" else "float")
    if activations == "int8" and (weights != "int8" or task == "text-generation"):
        raise BadRequest(
            "int8 activations go with int8 weights, and not with text-generation: take --activations float"
        )
    recipe = Recipe(task, cast("Literal['int8', 'int4']", weights), cast("Literal['int8', 'float']", activations))
    source = directory.resolve()
    place = target.absolute() if target else source.with_name(f"{source.name}-{weights}")
    try:
        if task == "entailment":
            texts: tuple[str | tuple[str, str], ...] = read_pairs(data.read_text(encoding="utf-8")) if data else PAIRS
        else:
            texts = read_texts(data.read_text(encoding="utf-8")) if data else SAMPLES
    except UnicodeDecodeError as error:
        raise BadRequest(f"{data} is no UTF-8 text: give one text a line") from error
    except ValueError as error:
        raise BadRequest(
            f"{data} has a line that is no pair: give premise and hypothesis, a tabulator between them"
        ) from error
    try:
        report = make(source, place, recipe, texts, floor, lambda stage: click.echo(f"{stage} …", err=True))
    except Refused as error:
        click.echo(table(error.report))
        raise NearloopError(f"{error}. The report: {place.name}.refused.json") from error
    except EngineError as error:
        raise NearloopError(str(error)) from error
    click.echo(table(report))
    click.echo(f"\nIt is in {place}")
    if task == "text-generation":
        click.echo(f'To use it, put this into settings.toml:\n\n[models.{place.name}]\npath = "{place.as_posix()}"')
    if task == "entailment":
        click.echo(f'To use it, put this into settings.toml:\n\n[signals]\nentailment = "{place.as_posix()}"')

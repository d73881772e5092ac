"""`nearloop parity`: hold encoders to their references, in an environment with the export stack."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import click
import msgspec

from daemon.errors import BadRequest, NearloopError


@click.group()
def parity() -> None:
    """Hold encoders to their references."""


@parity.command()
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A SigLIP checkpoint; may be given again. Without it, the encoders that are shipped.",
)
@click.option(
    "--pictures",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of yours to compare on; pictures drawn by Nearloop if left out.",
)
@click.option("--weights", default="float", show_default=True, type=click.Choice(["float", "half", "int8"]))
@click.option("--floor", type=float, help="The least cosine that passes, 0.9995 if left out.")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
def vision(models: tuple[Path, ...], pictures: Path | None, weights: str, floor: float | None, as_json: bool) -> None:
    """Hold encoders of pictures to what their authors' code makes of the same files.

    Three vectors of each picture tell which layer errs: decoding, preprocessing, the graph, or the bits that its weights are
    kept in. Labels are ranked by both sides. Exit status 1 if an encoder is not its reference. Needs the export stack.
    """
    from edge_models.classifiers.base import Weights
    from edge_models.engines.base import EngineError
    from edge_models.training import stack

    if models and any(not (each / "config.json").is_file() for each in models):
        raise BadRequest("a model's directory has no config.json: name one as Hugging Face lays it out")

    def say(stage: str) -> None:
        click.echo(f"{stage} …", err=True)

    try:
        stack.require()
        from edge_models.training.vision_subjects import checkpoints, shipped_encoders

        if models:
            found = checkpoints(models, cast("Weights", weights), pictures, floor, say)
        else:
            found = shipped_encoders(pictures, floor, say)
    except EngineError as error:
        raise NearloopError(str(error)) from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode([each.report for each in found])).decode())
    else:
        click.echo("\n\n".join(each.text for each in found))
    if not all(each.passed for each in found):
        sys.exit(1)

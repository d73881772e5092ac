"""`nearloop bench confidence`: how well a model's sureness tells right answers from wrong ones."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from daemon.cli.confidence_text import profile_lines
from daemon.cli.models_in_use import chosen, entailer_of
from daemon.errors import NearloopError
from daemon.paths import make_private_directory, paths
from edge_models.catalog import ModelRef
from edge_models.engines.base import EngineError
from providers.contract import ProviderError

if TYPE_CHECKING:
    from daemon.certifying.questions import Question
    from daemon.certifying.recording import Wanted
    from daemon.signals.similarity import Similarity

_CAME_ALONG: Final = "smollm2-135m-instruct"
_EVERY: Final = 50
"""Questions between two lines of progress."""


@click.group()
def confidence() -> None:
    """Measure how well a model's sureness tells right answers from wrong ones."""


@confidence.command()
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The file; it is gone on with.")
@click.option("--model", default=None, help="A model of the settings; the default one if left out.")
@click.option("--engine", default=None, help="Another engine than the model's own.")
@click.option(
    "--data",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of others' labelled sets, besides our own questions; may be given again.",
)
@click.option("--own", default=900, show_default=True, help="How many of our own questions.")
@click.option("--each", default=500, show_default=True, help="How many of each of the others' sets.")
@click.option("--samples", default=0, show_default=True, help="Further answers to each question, to see which agree.")
@click.option("--self-check", is_flag=True, help="Ask the model whether it was right, where its engine can score.")
@click.option(
    "--prose",
    is_flag=True,
    help="Only questions that words answer, put so that a sentence answers them; see --samples.",
)
@click.option(
    "--keep-answers", is_flag=True, help="Write the answers down as well: other people's words, not to be shipped."
)
def record(
    target: Path,
    model: str | None,
    engine: str | None,
    data: tuple[Path, ...],
    own: int,
    each: int,
    samples: int,
    self_check: bool,
    prose: bool,
    keep_answers: bool,
) -> None:
    """Ask a model questions with known answers, and write down how sure it was and whether it was right.

    Given again, an interrupted command goes on. One file holds one model on one engine.
    """
    from daemon.certifying.labelled_sets import labelled
    from daemon.certifying.own_prose import in_prose, own_prose
    from daemon.certifying.own_questions import own as our_own
    from daemon.certifying.questions import mixed
    from daemon.certifying.recording import Wanted
    from daemon.pool import local_models, rules_of
    from daemon.settings import SettingsFile
    from daemon.signals.entailment import Entailment
    from daemon.signals.similarity import Similarity

    settings = SettingsFile(paths().settings).settings
    ref = chosen(local_models(settings), model, engine)
    questions = own_prose(own) if prose else our_own(own)
    for folder in data:
        theirs = labelled(folder, each)
        questions += [in_prose(question) for question in theirs if question.check == "words"] if prose else theirs
    make_private_directory(target.absolute().parent)
    wanted = Wanted(samples, self_check, keep_answers)
    keys = rules_of(settings).of(ref.name).keys
    try:
        with closing(Entailment(entailer_of(settings))) as entailment:
            similarity = Similarity(entailment) if prose else None
            asyncio.run(_recorded(ref, mixed(questions), target, keys, wanted, similarity))
    except (ProviderError, EngineError) as error:
        raise NearloopError(str(error)) from error


@confidence.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The profile.")
@click.option("--shipped", is_flag=True, help="Mark it as one that comes along with Nearloop.")
def fit(files: tuple[Path, ...], target: Path, shipped: bool) -> None:
    """Make a profile of recordings of one model on one engine: scorer, calibrations and what can be promised."""
    from daemon.certifying.fit import fitted
    from daemon.certifying.recording import rows
    from daemon.confidence.profile import write_profile

    profile = fitted(list(rows(files)), "shipped" if shipped else "here")
    write_profile(profile, target)
    for line in profile_lines(profile):
        click.echo(line)


@confidence.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--test",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A recording of sets apart, on which nothing is fitted; may be given again.",
)
@click.option(
    "--second",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A recording of another model or engine on the same questions, asked where the first one is not sure.",
)
@click.option(
    "--other",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A recording of another model file or engine on the same questions, on which this one's profile is tried.",
)
@click.option("--resamples", default=1000, show_default=True, help="Calibrations that each promise is put to.")
def report(
    files: tuple[Path, ...], test: tuple[Path, ...], second: Path | None, other: Path | None, resamples: int
) -> None:
    """Say what recordings of one model tell: sureness against its baselines, calibration, and whether promises hold.

    Without FILES it is told of the recordings of the embedded model that come along.
    """
    from daemon.certifying.recording import rows
    from daemon.confidence.profiles import shipped

    if not files:
        folder = shipped() / "recordings"
        files, test = (
            tuple(folder / f"{_CAME_ALONG}.openvino-genai{part}.jsonl.gz" for part in ("", ".prose")),
            (folder / f"{_CAME_ALONG}.openvino-genai.apart.jsonl.gz",),
        )
        second = folder / f"{_CAME_ALONG}.openvino-raw.jsonl.gz"
    from daemon.cli.confidence_report import report_lines

    further = [list(rows([file] if file else [])) for file in (second, other)]
    for line in report_lines(list(rows(files)), list(rows(test)), resamples, *further):
        click.echo(line)


async def _recorded(
    ref: ModelRef,
    questions: list[Question],
    target: Path,
    keys: tuple[str, ...],
    wanted: Wanted,
    similarity: Similarity | None,
) -> None:
    from daemon.certifying.recording import record as recorded

    said = -_EVERY
    async with aclosing(recorded(ref, questions, target, paths().models, keys, wanted, similarity)) as steps:
        async for done, all in steps:
            if done - said >= _EVERY or done == all:
                click.echo(f"{done} of {all} questions")
                said = done

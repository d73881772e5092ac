"""`nearloop calibrate`: measure how often a local model is right when it is sure, on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing, closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from daemon.cli.confidence_text import profile_lines
from daemon.cli.models_in_use import chosen, entailer_of
from daemon.errors import NearloopError, Refused
from daemon.paths import make_private_directory, paths
from edge_models.catalog import ModelRef
from edge_models.engines.base import EngineError
from providers.contract import ProviderError

if TYPE_CHECKING:
    from daemon.signals.similarity import Similarity

QUESTIONS: Final = 1500
"""More than a laptop's model answers in the time; the order is mixed, so that any beginning is a fair part."""
_EVERY: Final = 50


@click.command()
@click.option("--model", help="A model of the settings; the default one if left out.")
@click.option("--minutes", default=10.0, show_default=True, help="Stop there; given again, it goes on.")
@click.option("--questions", default=QUESTIONS, show_default=True, help="At most so many.")
@click.option(
    "--further",
    is_flag=True,
    help="Have each question answered three times more, to learn what it says when answers agree; takes longer.",
)
@click.option("--force", is_flag=True, help="On battery, too.")
def calibrate(model: str | None, minutes: float, questions: int, further: bool, force: bool) -> None:
    """Ask a local model questions with known answers, and learn how sure it has to be.

    What is learned holds for this model file on its engine with this machine's processors. A running daemon takes it in with
    the next request. Nothing leaves this machine.
    """
    from daemon.confidence.profiles import Profiles, shipped
    from daemon.confidence.setup import setup_of
    from daemon.pool import local_models, rules_of
    from daemon.power import power
    from daemon.settings import SettingsFile

    if not force and power().on_battery:
        raise Refused("this machine runs on battery: plug it in, or say --force")
    settings = SettingsFile(paths().settings).settings
    ref = chosen(local_models(settings), model)
    profiles = Profiles(paths().confidence, shipped())
    make_private_directory(paths().confidence)
    rows_file = paths().confidence / f"{setup_of(ref).key}.jsonl"

    from daemon.confidence.further import SAMPLES
    from daemon.signals.entailment import Entailment
    from daemon.signals.similarity import Similarity

    samples = SAMPLES if further else 0
    keys = rules_of(settings).of(ref.name).keys

    def may_go_on() -> bool:
        return force or not power().on_battery

    try:
        with closing(Entailment(entailer_of(settings))) as entailment:
            similarity = Similarity(entailment)
            asyncio.run(_asked(ref, questions, minutes * 60, rows_file, keys, samples, similarity, may_go_on))
    except (ProviderError, EngineError) as error:
        raise NearloopError(str(error)) from error
    from daemon.certifying.calibrating import calibrated

    for line in profile_lines(calibrated(ref, rows_file, profiles)):
        click.echo(line)


async def _asked(
    ref: ModelRef,
    questions: int,
    limit_s: float,
    to: Path,
    keys: tuple[str, ...],
    samples: int,
    similarity: Similarity,
    may_go_on: Callable[[], bool],
) -> None:
    from daemon.certifying.calibrating import asked

    said = -_EVERY
    async with aclosing(asked(ref, questions, limit_s, to, paths().models, keys, samples, similarity)) as steps:
        async for done, all in steps:
            if done - said < _EVERY and done != all:
                continue
            click.echo(f"{done} of {all} questions")
            said = done
            if not may_go_on():
                click.echo("Unplugged: what was asked counts, and the command goes on where it was when given again.")
                return

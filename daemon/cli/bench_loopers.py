"""`nearloop bench loopers`: what ways of answering are worth, by recorded answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import msgspec

from daemon.errors import BadRequest
from daemon.replaying.comparing import Comparison, compare
from daemon.replaying.recordings import read


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(min=2), help="Read so many questions only, the first ones.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def loopers(files: tuple[Path, ...], limit: int | None, seed: int, as_json: bool) -> None:
    """Replay recorded answers of FILES through the loopers of several models.

    Questions that stand in all FILES are taken, with all models' answers. Judges, planners and writers have no recording, so
    what is measured is the loopers' votes and their choice of the best answer so far.
    """
    items = read(files)[:limit]
    if len(items) < 2:
        raise BadRequest(
            "two questions at least are needed: one half chooses the best single model, the other one tests"
        )
    found = asyncio.run(compare(items, seed))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in told(found):
        click.echo(line)


def told(found: Comparison) -> list[str]:
    """The figures in lines."""
    lines = [
        f"{found.questions} questions, tested; {found.chosen_on} others chose the best single model and the weights.",
        f"One at random {found.random:.1%}, best single {found.quality:.1%} ({found.single}), oracle {found.oracle:.1%}.",
        *(f"  {model:30} {quality:6.1%}" for model, quality in found.models.items()),
        f"{'looper':22} {'right':>7} {'gain':>7} {'95 % interval':>18} "
        f"{'gained':>7} {'lost':>6} {'of oracle':>10} {'calls':>6}",
    ]
    for each in found.outcomes:
        interval = f"{each.low:+.1%} to {each.high:+.1%}"
        regained = f"{each.regained:.0%}" if each.regained is not None else "-"
        lines.append(
            f"{each.name:22} {each.quality:7.1%} {each.gain:+7.1%} {interval:>18} {each.gained:7} {each.lost:6} "
            f"{regained:>10} {each.calls:6.1f}"
        )
    best = max(found.outcomes, key=lambda each: each.gain)
    if best.low <= 0:
        lines.append("Composition did not help: no looper is better than the best single model beyond doubt.")
    return lines

"""`nearloop bench curve`: what choosing and cascading models costs and brings, by recorded answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import click
import msgspec

from daemon.errors import BadRequest

if TYPE_CHECKING:
    from daemon.replaying.curve import Best, Curves
    from daemon.replaying.recordings import Item
    from daemon.replaying.resampling import Span


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--price", "told", multiple=True, help="MODEL=IN/OUT: of a token read and one written, in any unit.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON file of all prices, as LLMRouter's.")
@click.option("--description", "described", multiple=True, help="MODEL=WORDS: what it is good at, for router_dc.")
@click.option("--limit", type=click.IntRange(min=2), help="Read so many questions only, the first ones.")
@click.option("--sample", type=click.IntRange(min=2), help="Take so many questions only, drawn at random by --seed.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples, and of --sample.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the curves into this file.")
def curve(
    files: tuple[Path, ...],
    told: tuple[str, ...],
    prices: Path | None,
    described: tuple[str, ...],
    limit: int | None,
    sample: int | None,
    seed: int,
    as_json: bool,
    svg: Path | None,
) -> None:
    """Show what selectors and cascades cost and bring on recorded answers of FILES.

    A selector chooses one model by the prompt; a cascade asks cheap models first, and goes up when it isn't sure. Both go
    through the live code. Settings are chosen on one half of the questions; figures are of the other half.
    """
    from daemon.replaying.curve import measure, split
    from daemon.replaying.drawing import drawing
    from daemon.replaying.offers import offered
    from daemon.replaying.prices import read_prices
    from daemon.replaying.recordings import read
    from daemon.signals.parts import Parts

    items = taken(read(files), limit, sample, seed)
    if len(items) < 2 or len(items[0].answers) < 2:
        raise BadRequest("two questions and two models at least are needed: one half chooses, the other one tests")
    paid = read_prices(prices, told, items[0].answers)
    parted = split(items, paid)
    parts = Parts()
    try:
        found = asyncio.run(measure(parted, paid, offered(parted, paid, _descriptions(described), parts), seed))
    finally:
        parts.close()
    if svg is not None:
        svg.write_text(drawing(found), encoding="utf-8")
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in lines(found):
        click.echo(line)


def taken(items: list[Item], limit: int | None, sample: int | None, seed: int) -> list[Item]:
    """The first `limit` of them, and of those `sample` at random; None: all."""
    first = items[:limit]
    if sample is None or sample >= len(first):
        return first
    return Random(seed).sample(first, sample)  # noqa: S311  a draw that can be repeated


def lines(found: Curves) -> list[str]:
    """The figures in words and tables."""
    oracle, random = found.oracle, found.random
    single = next(model for model in found.models if model.name == found.single)
    told = [
        f"{found.questions:,} questions, tested; {found.chosen_on:,} others chose the best single model and all settings.",
        "Costs are shares of the best single model's. "
        + ("" if found.worded else "Answers' words aren't recorded: a call costs what its question's do. ")
        + "Brackets: 95 %.",
        "",
        *_table(
            ("alone", "cost", "quality"),
            [
                *((model.name, f"{model.cost:.1%}", _share(model.quality)) for model in found.models),
                ("random", f"{random.cost:.1%}", _share(random.quality)),
                (f"best single ({single.name})", f"{single.cost:.1%}", _share(single.quality)),
                ("oracle", f"{oracle.cost:.1%}", _share(oracle.quality)),
            ],
        ),
    ]
    for title, of in (("the best setting", "best"), ("the cheapest one that is as good", "as_good")):
        rows = [_row(curve.name, getattr(curve, of)) for curve in found.curves]
        told += ["", *_table((title, "cost", "quality", "gain", "eta", "gained", "lost"), rows)]
    told += ["", "Points above what mixing models at random brings at the same cost, on average over the curve:"]
    told += [
        f"  {curve.name:24} {_points(curve.over_mixing) if curve.over_mixing else 'it only ever chose one model'}"
        for curve in found.curves
    ]
    told += ["", "Best, and cheapest as good:"]
    told += [
        f"  {curve.name}: {'; '.join(dict.fromkeys((curve.best.point.name, curve.as_good.point.name)))}"
        for curve in found.curves
    ]
    return [*told, "", _verdict(found)]


def _row(name: str, best: Best) -> tuple[str, ...]:
    return (
        name,
        f"{best.cost.value:.1%} [{best.cost.low:.1%} to {best.cost.high:.1%}]",
        f"{best.point.quality.value:.1%}",
        _points(best.gain),
        f"{best.eta.value:+.0%} [{best.eta.low:+.0%} to {best.eta.high:+.0%}]" if best.eta else "-",
        str(best.gained),
        str(best.lost),
    )


def _verdict(found: Curves) -> str:
    better = [curve.name for curve in found.curves if curve.best.gain.low > 0]
    if better:
        return f"Better than the best single model beyond doubt: {', '.join(better)}."
    cheaper = [curve.name for curve in found.curves if curve.over_mixing and curve.over_mixing.low > 0]
    if cheaper:
        return (
            "Composition did not help beyond the best single model. For less money it brings more than mixing at random: "
            f"{', '.join(cheaper)}."
        )
    return (
        "Composition did not help: nothing is better than the best single model, or than mixing models, beyond doubt."
    )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) if place == 0 else cell.rjust(width) for place, (cell, width) in enumerate(row))
        for row in (tuple(zip(each, widths, strict=True)) for each in (head, *rows))
    ]


def _share(of: Span) -> str:
    return f"{of.value:.1%} [{of.low:.1%} to {of.high:.1%}]"


def _points(of: Span) -> str:
    return f"{100 * of.value:+.1f} [{100 * of.low:+.1f} to {100 * of.high:+.1f}]"


def _descriptions(told: tuple[str, ...]) -> dict[str, str]:
    parted = [each.partition("=") for each in told]
    if not all(model and words for model, _, words in parted):
        raise BadRequest("a description is MODEL=WORDS")
    return {model: words for model, _, words in parted}

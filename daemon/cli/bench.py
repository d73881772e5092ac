"""`nearloop bench`: measures Nearloop on this machine, offline."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import click

from daemon.cli.bench_confidence import confidence
from daemon.cli.bench_curve import curve
from daemon.cli.bench_loopers import loopers
from daemon.cli.terminal import steer

if TYPE_CHECKING:
    from daemon.settings import Settings

_STEP_S: Final = 0.2


@click.group()
def bench() -> None:
    """Measure Nearloop on this machine."""


bench.add_command(confidence)
bench.add_command(curve)
bench.add_command(loopers)


@bench.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--policy",
    type=click.Choice(["strict", "balanced", "open"]),
    help="Measure this preset instead of your own policy.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Only so many rows of each file.")
@click.option("--reduce", is_flag=True, help="Also with names in code and who could be guessed reduced, by rules.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def leak(files: tuple[Path, ...], policy: str | None, reduce: bool, limit: int | None, as_json: bool) -> None:
    """Show what of private values would leave, and what masking costs.

    FILES are JSON lines whose private values are marked; without one, a small set that comes with Nearloop. Each text
    goes through the boundary as a request would: what would be sent is searched for the values, and tried for its use.
    Nothing is sent, no daemon is needed, and no value is shown.
    """
    from daemon.boundary.policy import CODE, IMPLICIT, Policies, Policy
    from daemon.leakage.corridor import Corridor
    from daemon.leakage.rows import read_rows, shipped
    from daemon.leakage.work import measure

    settings = _settings()
    rows = [row for file in files or (shipped(),) for row in read_rows(file)[:limit]]
    own = Policies(settings).everybodys
    measured = own if policy is None else Policy(policy)  # type: ignore[arg-type]  # click has checked it
    name = policy or f"{own.privacy}{' with classes of yours' if own.classes else ''}"
    if reduce:
        measured = Policy(measured.privacy, {**measured.classes, CODE: "reduce", IMPLICIT: "reduce"})
        name += ", reduced"
    corridor = Corridor(measured, settings.dictionary)
    try:
        report = asyncio.run(measure(corridor, rows, name, _progress(len(rows))))
    finally:
        corridor.close()
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        from daemon.cli.bench_text import show

        show(report, [str(file) for file in files])


def _settings() -> Settings:
    from daemon.paths import paths
    from daemon.settings import SettingsFile

    return SettingsFile(paths().settings).settings


def _progress(rows: int) -> Callable[[int], None]:
    """Says how far it is, on a terminal."""
    if not sys.stderr.isatty():
        return lambda done: None
    shown = monotonic()

    def progress(done: int) -> None:
        nonlocal shown
        if done == rows:
            steer("\r\x1b[K", err=True)
        elif monotonic() - shown >= _STEP_S:
            shown = monotonic()
            steer(f"\r\x1b[K{done:,} of {rows:,} texts", err=True)

    return progress

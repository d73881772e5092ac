"""`nearloop audit`: a report card of what coding agents have sent already, from the logs that they keep here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import click

from daemon.cli.terminal import steer

if TYPE_CHECKING:
    from daemon.auditing.base import Format
    from daemon.auditing.log import Log
    from daemon.settings import Settings

EXIT_INTERRUPTED: Final = 130
_QUIET_S: Final = 0.5
"""Shorter readings say nothing of how far they are."""
_STEP_S: Final = 0.1


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture to share: counts alone.")
@click.option("--since", metavar="AGE", help="Only what was sent since then, for example 12h or 30d.")
@click.option("--tool", "tools", multiple=True, help="Only this tool's logs; repeatable.")
@click.option(
    "--path",
    "paths_",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Read this file or folder instead of the usual places; repeatable.",
)
@click.option("--deep", is_flag=True, help="Look for names in what you said too, by the trained models; slower.")
def audit(
    as_json: bool, svg: Path | None, since: str | None, tools: tuple[str, ...], paths_: tuple[Path, ...], deep: bool
) -> None:
    """Show what coding agents have sent already.

    Reads the logs that Claude Code, Codex, Continue and Aider keep on this machine, and LiteLLM's where --path names
    them. It needs no daemon, no key and no network, shows no value that it finds, and writes nothing but the picture.

    Exit status 0 whatever was found, 2 for a wrong option, 130 if it was interrupted; then the report covers what was
    read.
    """
    from daemon.ages import age
    from daemon.auditing.base import Where
    from daemon.auditing.finds import Finder
    from daemon.auditing.staying import this_device
    from daemon.auditing.tally import Tally
    from daemon.auditing.work import audit as read_all
    from daemon.clock import SystemClock
    from daemon.connecting.base import this_machine
    from daemon.paths import paths

    formats = _formats(tools)
    start = SystemClock().now() - age(since, "since") if since else None
    settings = _settings()
    finder = Finder(deep=deep, dictionary=settings.dictionary)
    device = this_device(paths().probes, settings.policy.patience_s)
    tally = Tally(finder, device, since=start, demanding=finder.demanding if deep else None)
    complete = True
    try:
        with _progress() as progress:
            read_all(tally, formats, Where(this_machine(), Path.cwd()), paths_, progress)
    except KeyboardInterrupt:
        complete = False
    finally:
        finder.close()
    report = tally.report(complete=complete, deep=deep)
    if svg is not None:
        from daemon.auditing.card import card

        svg.write_text(card(report), encoding="utf-8")
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        from daemon.cli.audit_text import show

        show(report, [format.title for format in formats])
        if svg is not None:
            click.echo(f"The picture is in {svg}: counts alone, no names of yours.")
    if not complete:
        sys.exit(EXIT_INTERRUPTED)


def _settings() -> Settings:
    """The user's; the usual ones if they can't be read, which is `doctor`'s business."""
    from daemon.errors import BadSettings
    from daemon.paths import paths
    from daemon.settings import Settings, SettingsFile

    try:
        return SettingsFile(paths().settings).settings
    except BadSettings:
        return Settings()


def _formats(names: tuple[str, ...]) -> tuple[Format, ...]:
    from daemon.auditing.registry import FORMATS
    from daemon.errors import BadRequest

    for name in names:
        if name not in FORMATS:
            raise BadRequest(f"{name} is no tool known here: there are {', '.join(FORMATS)}")
    return tuple(format for name, format in FORMATS.items() if not names or name in names)


@contextmanager
def _progress() -> Iterator[Callable[[Log], None]]:
    """A line on standard error, if that is a terminal and it takes long enough to be asked for."""
    if not sys.stderr.isatty():
        yield lambda log: None
        return
    began = last = monotonic()
    shown = False
    reading: Log | None = None
    before = 0

    def tell(log: Log) -> None:
        nonlocal last, shown, reading, before
        if log is not reading:
            before += reading.done_bytes if reading is not None else 0
            reading = log
        now = monotonic()
        if now - began < _QUIET_S or now - last < _STEP_S:
            return
        last, shown = now, True
        steer(f"\r\x1b[Kreading logs: {(before + log.done_bytes) >> 20:,} MB", err=True)

    try:
        yield tell
    finally:
        if shown:
            steer("\r\x1b[K", err=True)

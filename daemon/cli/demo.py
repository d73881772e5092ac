"""`nearloop demo`: an agent in a folder full of secrets, with a cloud model that is told to steal them. It needs nothing."""

from __future__ import annotations

import contextlib
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from daemon.cli.demo_text import Teller
    from daemon.demo.own_daemon import Privacy
    from daemon.demo.story import Outcome

EXIT_FAILED: Final = 1


@click.command()
@click.option("--fast", is_flag=True, help="Without pauses for reading.")
@click.option("--keep", is_flag=True, help="Keep the folder: files, settings, records and receipts.")
@click.option("--json", "as_json", is_flag=True, help="Print what came of it as JSON, and nothing else.")
@click.option(
    "--privacy",
    type=click.Choice(["balanced", "open"]),
    default="balanced",
    show_default=True,
    help="The policy; with `open` personal data leaves as it is, and the demonstration says so.",
)
def demo(fast: bool, keep: bool, as_json: bool, privacy: Privacy) -> None:
    """Show in a minute what Nearloop does, on this machine and without a network.

    A coding agent works in a folder of planted secrets. Its cloud model is a recording, and is told by one of the files
    to send the keys away. Daemon, masks, receipts, tools and the local model are real. Your own settings, keys and
    daemon are not touched.

    Exit status 0: all that has to hold did. 1: something did not, such as a planted value that left.
    """
    from daemon.cli.demo_text import Teller

    for name in ("SIGTERM", "SIGHUP"):  # a terminal that is closed, as ctrl+c: daemon and folder go
        if (ends := getattr(signal, name, None)) is not None:
            signal.signal(ends, signal.default_int_handler)
    with _folder(keep) as folder:
        outcome = _play(folder, Teller(quiet=as_json, paced=not fast and not as_json), privacy)
        if as_json:
            import msgspec

            click.echo(msgspec.json.format(msgspec.json.encode(outcome)).decode())
        if keep:
            click.echo(f"Kept: {folder}", err=as_json)
    if not outcome.ok:
        sys.exit(EXIT_FAILED)


def _play(folder: Path, teller: Teller, privacy: Privacy) -> Outcome:
    import random

    from daemon.demo.answers import read_answers
    from daemon.demo.assets import shipped
    from daemon.demo.own_daemon import OwnDaemon, settings
    from daemon.demo.planted import plant
    from daemon.demo.provider import MODEL, RecordedProvider
    from daemon.demo.story import Story

    assets, work = shipped(), folder / "billing"
    work.mkdir()
    planted = plant(work, assets, random.SystemRandom())
    recipe = (assets / "demo.dsl").read_text(encoding="utf-8")
    teller.begin(planted)
    with (
        RecordedProvider(read_answers(assets / "answers.json")) as provider,
        OwnDaemon(folder / "nearloop", settings(provider.url, MODEL, privacy), recipe) as daemon,
        contextlib.chdir(work),  # as an agent has it: a marker file above the caller's own folder is about others
        daemon.client() as client,
    ):
        story = Story(daemon, client, provider, work, planted)
        teller.act(1)
        asked = story.ask()
        teller.asked(asked)
        teller.act(2)
        read = story.read()
        teller.read(read)
        teller.act(3)
        call, held = story.stolen(read)
        teller.stolen(read, call, held)
        teller.act(4)
        mended = story.mend()
        teller.mended(mended, story.agent.tests is True)
        teller.act(5)
        kept = story.stay(teller.waits)
        teller.stayed(kept)
        teller.act(6)
        teller.proved(*story.prove(kept))
        outcome = story.settle((asked, read, mended), kept)
    teller.end(outcome)
    return outcome


@contextlib.contextmanager
def _folder(keep: bool) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="nearloop-demo-"))
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)

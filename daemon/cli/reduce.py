"""`nearloop reduce`: how a text would leave this machine if names in code and who could be guessed were reduced."""

from __future__ import annotations

import asyncio
import difflib
import sys
from collections.abc import Iterator
from typing import Final

import click
import msgspec
from msgspec import Struct

from daemon.boundary.clear import clear
from daemon.boundary.judge import IDENTIFYING, judge
from daemon.boundary.policy import CODE, IMPLICIT, Policies, Policy
from daemon.boundary.reduction.request import reduced_request
from daemon.boundary.vault import Vault
from daemon.cli.terminal import styled
from daemon.cli.why_codes import WHY_HERE, WHY_NOT_REDUCED
from daemon.errors import BadRequest, Refused
from daemon.paths import paths
from daemon.recipes.signals import Signals
from daemon.settings import SettingsFile
from daemon.signals.dictionary import Shelf
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from providers.cleared import Place
from providers.contract import Message, Request, Text

EXIT_KEPT: Final = 5


class Shown(Struct, frozen=True, omit_defaults=True):
    """What would become of a text. leaves: as what; None: it would stay. taken_out: facts by kind, not to be turned back.

    masks: values by class, which are.
    """

    leaves: str | None
    why: tuple[str, ...] = ()
    taken_out: dict[str, int] = {}
    masks: dict[str, int] = {}


@click.command()
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def reduce(text: str, as_json: bool) -> None:
    """Show how TEXT would leave this machine with `code` and `implicit` reduced; `-` reads standard input.

    It looks on this machine, by itself, and keeps nothing. What else `[policy]` says of what is found holds. Exit status 0:
    it would leave so. 5: it would stay here.
    """
    text = sys.stdin.read() if text == "-" else text
    if not text.strip():
        raise BadRequest("there is no text: give one, or `-` and one on standard input")
    found = asyncio.run(_shown(text))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        for line, colour in _lines(text, found):
            styled(line, fg=colour)
    if found.leaves is None:
        sys.exit(EXIT_KEPT)


async def _shown(text: str) -> Shown:
    settings = SettingsFile(paths().settings).settings
    own = Policies(settings).everybodys
    policy = Policy(own.privacy, {CODE: "reduce", IMPLICIT: "reduce", **own.classes})
    parts = Parts(guard=True, dictionary=Shelf(settings.dictionary), reduce=frozenset({CODE, IMPLICIT}))
    observer = Observer(Signals(), parts)
    request = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text(text),)),), protocol="reduce")
    taken_out: dict[str, int] = {}
    try:
        clearance = judge(await observer.observe(request), (), policy, "any")
        if clearance.why == (IDENTIFYING,):
            reduction = reduced_request(request)
            if reduction.request is None:
                return Shown(None, (WHY_HERE[IDENTIFYING], WHY_NOT_REDUCED[reduction.why or "told"]))
            request, taken_out = reduction.request, dict(reduction.changes)
            clearance = judge(await observer.observe(request), (), policy, "any")
        if clearance.reach == "device":
            return Shown(None, tuple(WHY_HERE[code] for code in clearance.why))
        cleared = clear(request, clearance, Place.CLOUD, Vault()).cleared
    except Refused as error:
        return Shown(None, (str(error),))
    finally:
        observer.close()
        parts.close()
    (part,) = cleared.request.messages[0].parts
    assert isinstance(part, Text)
    return Shown(part.text, (), taken_out, dict(cleared.masks))


def _lines(text: str, found: Shown) -> Iterator[tuple[str, str | None]]:
    """What to print, and in which colour."""
    if found.leaves is None:
        yield f"It would stay here, because {'; '.join(found.why)}.", "yellow"
        return
    colours = {"-": "red", "+": "green"}
    for line in difflib.ndiff(text.splitlines(), found.leaves.splitlines()):
        if not line.startswith("?"):
            yield line, colours.get(line[:1])
    for what, counts in (("Taken out, for good", found.taken_out), ("Masked, and turned back in answers", found.masks)):
        if counts:
            yield f"{what}: {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items()))}.", None
    if found.leaves == text:
        yield "It would leave as it is.", None

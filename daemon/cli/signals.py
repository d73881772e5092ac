"""`nearloop signals`: what the signals see in a text and in pictures, as a table."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import click
import msgspec

from daemon.cli.recipe_run import LIKENESS, embedder_for
from daemon.cli.terminal import row
from daemon.cli.why_pictures import PICTURES, neutral_part_of, seen_in
from daemon.clock import SystemClock
from daemon.errors import BadRequest, NotFound
from daemon.pictures.service import Looked, Pictures
from daemon.recipes.files import form_of, text_of
from daemon.recipes.loading import load
from daemon.recipes.signals import (
    Complexity,
    Domain,
    Examples,
    Hazard,
    Image,
    Jailbreak,
    Language,
    Named,
    PictureKind,
    Pii,
    Safety,
    Secret,
    Signals,
    TaskShape,
)
from daemon.shown_pictures import pictures_of
from daemon.signals.base import Observation
from daemon.signals.hazard_examples import EXAMPLES as HAZARDS
from daemon.signals.identifier import Identifier
from daemon.signals.input_modality import INPUTS
from daemon.signals.knowledge import knowledge_bases
from daemon.signals.modality import EXAMPLES as MODALITIES
from daemon.signals.observe import Observer
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from edge_models.vision.limits import USUAL
from edge_models.vision.process import EyesProcess
from providers.contract import Message, Request, Text
from providers.texts import carried

_BAR: Final = 24
_EYES_S: Final = 120.0
"""For all pictures together."""
_CALIBRATED: Final = {
    "language": "calibrated in its language",
    "english": "calibrated by the English models",
    "pooled": "calibrated on other languages",
}
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


@click.command()
@click.argument("text", required=False, default="")
@PICTURES
@click.option(
    "--recipe",
    "file",
    type=click.Path(path_type=Path),
    help="Show the rules of this recipe file, all that it declares.",
)
@LIKENESS
@click.option("--name", default="default", show_default=True, help="Which of the file's recipes.")
@click.option("--all", "everything", is_flag=True, help="Show what did not match too.")
@click.option("--json", "as_json", is_flag=True, help="Print the observations as JSON.")
def signals(
    text: str,
    pictures: tuple[Path, ...],
    file: Path | None,
    name: str,
    everything: bool,
    as_json: bool,
    likeness: str,
) -> None:
    """Show what the signals see in TEXT and in pictures.

    It looks on this machine, by itself, and keeps nothing. TEXT `-` is read from standard input.
    """
    if text == "-":
        text = sys.stdin.read()
    if not text and not pictures:
        raise BadRequest("say what to look at: a text, or --picture")
    parts = Parts()
    rules = _plain(parts)
    if file is not None:
        recipe = load(text_of(file), form_of(file)).recipe
        routing = dict(recipe.named()).get(name)
        if routing is None:
            raise NotFound(f"{file} has no recipe called {name}")
        rules = routing.signals
        bases, embedder = knowledge_bases(recipe.global_, file.parent), embedder_for(recipe, likeness)
        parts = Parts(parts.heads, parts.vectors, bases=bases, embedder=embedder)
    observer = Observer(rules, parts)
    try:
        looked = asyncio.run(_looked_at(_request(text, pictures)))
        seen = asyncio.run(observer.observe(looked.request))
    finally:
        observer.close()
        parts.close()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(seen)).decode())
        return
    for line in seen_in(pictures_of(looked.request, seen, looked.unseen, looked.took_ms)):
        row(line)
    for line in _lines(seen, everything):
        row(line)


def _plain(parts: Parts) -> Signals:
    """A rule for all that can be seen without one of the user's own."""
    return Signals(
        domains=tuple(Domain(name=field) for field in _labels(parts, "domain")),
        fact_check=(Named(name="needs_fact_check"), Named(name="no_fact_check_needed")),
        language=tuple(Language(name=code) for code in Identifier.CODES),
        complexity=(Complexity(name="trained", threshold=0.2, hard=Examples(), easy=Examples()),),
        modality=tuple(Named(name=kind) for kind in MODALITIES),
        jailbreak=(Jailbreak(name="attack"),),
        safety=(Safety(name="harmful"), Safety(name="hazard", hazard=Hazard(categories=tuple(HAZARDS)))),
        pii=(Pii(name="any"),),
        secret=(Secret(name="any"),),
        task_shape=tuple(TaskShape(name=kind) for kind in _labels(parts, "task_shape")),
        images=tuple(Image(name=kind, kinds=(kind,)) for kind in get_args(PictureKind)),
        input_modality=tuple(Named(name=what) for what in INPUTS),
    )


def _labels(parts: Parts, head: str) -> tuple[str, ...]:
    try:
        return parts.heads.head(head).labels
    except Unread:
        return ("other",)  # so that the family says why


def _request(text: str, pictures: tuple[Path, ...]) -> Request:
    words = (Text(text),) if text else ()
    parts = (*words, *(neutral_part_of(path) for path in pictures))
    return Request(id="0" * 16, model="auto", protocol="signals", messages=(Message("user", parts),))


async def _looked_at(request: Request) -> Looked:
    """With what is seen in its pictures, by eyes of its own."""
    if not carried(request):
        return Looked(request, {}, {})
    service = Pictures(EyesProcess(), SystemClock(), _EYES_S, len(carried(request)), USUAL.size_bytes)
    try:
        return await service.look(request)
    finally:
        service.close()


def _lines(seen: tuple[Observation, ...], everything: bool) -> Iterator[str]:
    told = {
        (each.signal, each.name) for each in seen if each.matched
    }  # `RULE:harm` tells what the score of the rule does
    shown = [
        each
        for each in seen
        if (everything or each.matched or each.signal in ("context", "jailbreak"))
        and (each.signal, f"{each.name}:{each.label}") not in told
    ]
    names = [_name(each) for each in shown]
    width = max(map(len, names), default=0)
    for name, each in zip(names, shown, strict=True):
        if each.error is not None:
            yield f"{name:{width}}  could not look: {each.error}"
        elif each.signal == "context":
            yield f"{name:{width}}  {each.value:.0f}"
        else:
            mark = "yes" if each.matched else "no "
            notes = "".join(f"  {note}" for note in _notes(each))
            yield f"{name:{width}}  {bar(each.score)} {each.score:5.2f}  {mark}  {each.took_ms:.1f} ms{notes}"
    slow = sorted({each.signal for each in seen if each.error == "NoModel"})
    if slow:
        yield f"Without the signal models {', '.join(slow)} can't look: install Nearloop from its package."


def _notes(each: Observation) -> Iterator[str]:
    if each.model:
        yield each.model
        if each.calibrated_by:
            yield _CALIBRATED[each.calibrated_by]
    if not each.validated:
        yield "not validated"


def _name(each: Observation) -> str:
    label = f":{each.label}" if each.label else ""
    return each.signal if each.name == each.signal else f"{each.signal}  {each.name}{label}"


def bar(share: float) -> str:
    """A share of 1 as a bar."""
    eighths = round(min(1.0, max(0.0, share)) * _BAR * 8)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(_BAR, "·")

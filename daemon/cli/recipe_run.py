"""`nearloop recipe test` and `explain`: what a recipe decides about a text, with the signals that are here."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.decision.engine import Engine, Outcome
from daemon.decision.reach import reached
from daemon.decision.seen import Seen
from daemon.decision.trace import ConditionTrace, ScoreTrace, Trace, trace
from daemon.errors import NotFound
from daemon.recipes.embedder import Embedder, embedder_of
from daemon.recipes.files import form_of, text_of
from daemon.recipes.loading import load
from daemon.recipes.model import RecipeFile, Routing
from daemon.recipes.problems import BadRecipe, shown
from daemon.signals.base import Held, Observation
from daemon.signals.knowledge import KnowledgeBase, knowledge_bases
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from providers.contract import Message, Request, Text

_FILE: Final = click.Path(path_type=Path)
LIKENESS: Final = click.option(
    "--likeness",
    type=click.Choice(("recipe", "own")),
    default="recipe",
    show_default=True,
    help="Whose scale its thresholds are on: that of the embedder it is for, or Nearloop's own.",
)


def embedder_for(recipe: RecipeFile, likeness: str) -> Embedder | None:
    """The embedder that thresholds are taken to be for; None: ours."""
    return None if likeness == "own" else embedder_of(recipe.global_)


@click.command()
@click.argument("file", type=_FILE)
@LIKENESS
@click.option("--strict", is_flag=True, help="Exit status 1 also if a test can't be evaluated.")
def test(file: Path, strict: bool, likeness: str) -> None:
    """Run the TEST blocks of FILE.

    A test passes or fails only if what it comes to does not hang on a signal that could not look, because a model is not
    here; otherwise it is reported as not evaluable, with those signals. Exit status 1 if one fails.
    """
    counts = {"passed": 0, "failed": 0, "not evaluable": 0}
    recipe = _load(file)
    bases = knowledge_bases(recipe.global_, file.parent)
    embedder = embedder_for(recipe, likeness)
    for name, routing in recipe.named():
        for line, result in _tested(name, routing, bases, embedder):
            counts[result] += 1
            click.echo(line)
    if not any(counts.values()):
        click.echo(f'{file} has no tests: write TEST NAME {{ "question" -> decision }}')
    click.echo(", ".join(f"{count} {result}" for result, count in counts.items()))
    sys.exit(1 if counts["failed"] or (strict and counts["not evaluable"]) else 0)


def _tested(
    recipe: str, routing: Routing, bases: dict[str, KnowledgeBase], embedder: Embedder | None
) -> Iterator[tuple[str, str]]:
    """Each case as a line, with what became of it."""
    engine = Engine(routing)
    observer = Observer(reached(routing), Parts(bases=bases, embedder=embedder))
    try:
        for block in routing.tests:
            for number, case in enumerate(block.cases, 1):
                title = f"{recipe}/{block.name} {number}: "
                observations = _observed(observer, case.query)
                outcome = engine.decide(Seen(observations, observer.looked))
                if outcome.doubtful:
                    missing = _missing(engine, outcome, observations)
                    yield f"{title}not evaluable, for want of {missing}", "not evaluable"
                elif outcome.decision == case.route:
                    yield f"{title}passed", "passed"
                else:
                    yield f"{title}FAILED: {outcome.decision or 'no decision'} instead of {case.route}", "failed"
    finally:
        observer.close()


def _missing(engine: Engine, outcome: Outcome, observations: tuple[Observation, ...]) -> str:
    """The signals that could not look, and that doubtful decisions hang on."""
    broken = {seen.signal for seen in observations if seen.error is not None}
    return ", ".join(sorted(engine.families(outcome.doubtful) & broken))


@click.command()
@click.argument("file", type=_FILE)
@click.argument("text")
@LIKENESS
@click.option("--recipe", default="default", show_default=True, help="Which of the file's recipes.")
@click.option("--json", "as_json", is_flag=True, help="Print the trace as JSON.")
def explain(file: Path, text: str, recipe: str, as_json: bool, likeness: str) -> None:
    """Say what FILE decides about TEXT, and why.

    TEXT `-` is read from standard input.
    """
    whole = _load(file)
    routing = dict(whole.named()).get(recipe)
    if routing is None:
        raise NotFound(f"{file} has no recipe called {recipe}")
    if text == "-":
        text = sys.stdin.read()
    bases = knowledge_bases(whole.global_, file.parent)
    observer = Observer(reached(routing), Parts(bases=bases, embedder=embedder_for(whole, likeness)))
    try:
        observations = _observed(observer, text)
    finally:
        observer.close()
    engine = Engine(routing)
    found = trace(engine, Seen(observations, observer.looked))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in _lines(found, observations, engine):
        click.echo(line)


def _observed(observer: Observer, text: str) -> tuple[Observation, ...]:
    request = Request(id="0" * 16, model="auto", protocol="recipe", messages=(Message("user", (Text(text),)),))
    return asyncio.run(observer.observe(request))


def _load(file: Path) -> RecipeFile:
    text = text_of(file)
    try:
        return load(text, form_of(file)).recipe
    except BadRecipe as error:
        for problem in error.problems:
            if problem.severity == "error":
                click.echo(shown(problem, str(file), text.splitlines()), err=True)
        sys.exit(1)


_MARK: Final = {"true": "+", "unknown": "?", "false": "-"}
_JOINED: Final = {"AND": "all of", "OR": "any of", "NOT": "not"}


def _lines(found: Trace, observations: tuple[Observation, ...], engine: Engine) -> Iterator[str]:
    outcome = found.outcome
    yield f"decision   {outcome.decision or 'none: providers.defaults.default_model answers'}"
    if len(outcome.ranked) > 1:
        yield f"           before {', '.join(outcome.ranked[1:])}, by {outcome.reason}"
    if outcome.failed_by:
        yield f"           but {outcome.failed_by} refuses the request, since its signals are not here (on_unknown)"
    if outcome.doubtful:
        yield f"doubtful   {', '.join(outcome.doubtful)}: for want of {_missing(engine, outcome, observations)}"
    for seen in observations:
        if seen.matched:
            label = f":{seen.label}" if seen.label else ""
            what = f"could not look: {seen.error}" if seen.error else f"score {seen.score:.3g}{_held(seen.held)}"
            yield f"signal     {seen.signal}({seen.name}{label})  {what}"
    for each in found.partitions:
        winner = f"{each.winner} {each.winner_score:.3g}{' by default' if each.default_used else ''}"
        yield f"partition  {each.name}  {winner if each.winner else 'unknown'}"
    for score in found.scores:
        yield f"score      {score.name}  {_range(score)}"
    for mapping in found.mappings:
        for band in mapping.outputs:
            sure = f", confidence {band.confidence:.3g}" if band.matched == "true" else ""
            yield f"band       {_MARK[band.matched]} {band.name} ({mapping.source}){sure}"
    for decision in found.decisions:
        sure = "" if decision.measure is None else f", {decision.scale} {decision.measure:.3g}"
        yield f"rule       {_MARK[decision.truth]} {decision.name}  tier {decision.tier}, priority {decision.priority}{sure}"
        if decision.rules:
            yield from _conditions(decision.rules, 1)


def _held(held: Held | None) -> str:
    """How a likeness was held against a threshold of another scale."""
    if held is None:
        return ""
    there = "" if held.threshold is None else f", threshold {held.threshold:.3g}"
    here = "" if held.here is None else f", threshold {held.here:.3g}"
    return f"{there} (here {held.likeness:.3g}{here})"


def _range(score: ScoreTrace) -> str:
    if score.low is not None and score.low == score.high:
        return f"{score.low:.3g}"
    low = "any" if score.low is None else f"{score.low:.3g}"
    high = "any" if score.high is None else f"{score.high:.3g}"
    return f"between {low} and {high}"


def _conditions(condition: ConditionTrace, depth: int) -> Iterator[str]:
    text = _JOINED[condition.operator] if condition.operator else condition.text
    yield f"           {'  ' * depth}{_MARK[condition.truth]} {text}"
    for part in condition.parts:
        yield from _conditions(part, depth + 1)

"""`nearloop why --text --picture`: what would be decided about a text and pictures, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.why_codes import NOTES, RULES, WHY_HERE
from daemon.cli.why_pictures import part_of, seen_in
from daemon.client import Client
from daemon.paths import paths
from daemon.preview_wire import DecisionTrace, Here, Likeness, Node, Preview

_MARK: Final = {"true": "+", "false": "-", "unknown": "?"}
_REACH: Final = {
    "device": "it would stay on this machine",
    "masked": "it could leave with what is private masked",
    "open": "it could leave as it is",
}


def preview(text: str, pictures: Sequence[Path], model: str, as_json: bool) -> None:
    """Ask the daemon, and print. No model is asked, and nothing is recorded."""
    with Client(paths()) as client:
        found = client.preview(model, text, [part_of(path) for path in pictures])
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in told(found):
        click.echo(line)


def told(found: Preview) -> Iterator[str]:
    """A preview as lines."""
    here = found.nearloop
    yield f"{found.requested_model}: {' then '.join(here.candidates) or 'no model'} would answer; {_REACH[here.reach]}."
    if found.recipe:
        taken = found.routing_decision or "none of its decisions"
        yield f"Recipe {found.recipe}: {taken}, {found.decision_result.algorithm}."
    yield from seen_in(here.pictures)
    yield from (f"Because {reason}." for reason in _reasons(here))
    if here.over_limit:
        yield f"Left out, since what may be spent is spent: {', '.join(here.over_limit)}."
    if here.asks:
        yield f"You would be asked whether it may leave for {' and '.join(dict.fromkeys(here.asks))}."
    for kind, names in found.decision_result.matched_signals.items():
        yield f"Found: {kind} {', '.join(names)}."
    for name, error in found.signal_errors.items():
        yield f"Could not look: {name} ({error})."
    if here.doubtful:
        yield f"In doubt: {', '.join(here.doubtful)} might have been taken, could all signals look."
    yield from (_likeness(each) for each in here.likeness if each.matched)
    for decision in found.eval_trace:
        yield from _decision(decision)


def _reasons(here: Here) -> Iterator[str]:
    if here.rule in RULES:
        yield RULES[here.rule]
    yield from (NOTES.get(note) or RULES.get(note, note) for note in here.notes)
    yield from (WHY_HERE.get(code, code) for code in here.why)


def _likeness(each: Likeness) -> str:
    here = "" if each.threshold_here is None else f" against {each.threshold_here:.2f}"
    there = "" if each.threshold is None else f" against {each.threshold:.2f}"
    return (
        f"Likeness: {each.signal} {each.name} {each.likeness:.2f}{here} here, which is {each.score:.2f}{there} on the "
        "recipe's scale."
    )


def _decision(decision: DecisionTrace) -> Iterator[str]:
    yield f"{'+' if decision.matched else '-'} {decision.decision_name}  tier {decision.tier}, priority {decision.priority}"
    if decision.root_trace:
        yield from _node(decision.root_trace, 1)


def _node(node: Node, depth: int) -> Iterator[str]:
    text = {"AND": "all of", "OR": "any of", "NOT": "not"}[node.operator] if node.operator else node.text
    yield f"{'  ' * depth}{_MARK[node.truth]} {text}"
    for child in node.children:
        yield from _node(child, depth + 1)

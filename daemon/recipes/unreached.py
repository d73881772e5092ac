"""Decisions that are never taken: another one goes before whenever they hold, or they never hold.

Theory of operation. Conditions over at most LEAVES signals are compared whole: each becomes its table of truths, a whole
number whose bits are the outcomes, so that joining conditions is joining numbers. A decision is never taken if no outcome
is left that one better placed doesn't take. Which one is better placed for sure is `decision/ordering.py`'s business, told
here for the cases that don't depend on what is measured. Errs on the side of saying nothing: signals count as independent,
and decisions that take an unknown outcome for a match are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from daemon.recipes.conditions import Condition, Leaf, leaves
from daemon.recipes.model import Decision, RecipeFile, Strategy
from daemon.recipes.problems import Problem

LEAVES: Final = 10
"""Signals of a condition, at most: a table then has 1,024 bits."""
MOST: Final = 400
"""Decisions of a recipe that are compared with each other."""


def unreached(recipe: RecipeFile) -> Iterator[Problem]:
    """A note for each of them."""
    for place, (_, routing) in enumerate(recipe.named()):
        prefix = "routing" if place == 0 else f"recipes[{place - 1}].routing"
        decisions = routing.decisions[:MOST]
        for number, decision in enumerate(decisions):
            key = f"{prefix}.decisions[{number}]"
            if decision.rules is not None and _may_be_read(decision) and _table(decision, decision) == 0:
                yield _note(
                    key, f"`{decision.name}` never holds: its conditions exclude each other", "correct its rules"
                )
            elif before := _before(decision, decisions, routing.strategy):
                remedy = f"give it a higher priority than `{before.name}`, or other rules; or take it out"
                holds = "always holds too" if before.rules is None else "holds whenever it does"
                yield _note(key, f"`{decision.name}` is never taken: `{before.name}` {holds}, and goes before", remedy)


def _note(key: str, message: str, remedy: str) -> Problem:
    return Problem(code="never-taken", severity="note", key=key, message=message, remedy=remedy)


def _before(decision: Decision, others: tuple[Decision, ...], strategy: Strategy) -> Decision | None:
    return next((each for each in others if each is not decision and _hides(each, decision, strategy)), None)


def _hides(one: Decision, other: Decision, strategy: Strategy) -> bool:
    if not _goes_before(one, other, strategy) or not (_may_be_read(one) and _may_be_read(other)):
        return False
    if one.rules is None or other.rules is None:
        return one.rules is other.rules  # who asks for nothing comes after all who ask for something
    return {*leaves(one.rules)} <= {*leaves(other.rules)} and _table(other, other) & ~_table(one, other) == 0


def _goes_before(one: Decision, other: Decision, strategy: Strategy) -> bool:
    """Whether it does whatever the signals measure."""
    first, second = (one.tier or math.inf), (other.tier or math.inf)
    if first != second:
        return first < second
    if one.rules == other.rules:  # so they measure the same
        return (-one.priority, one.name) < (-other.priority, other.name)
    return strategy == "priority" and one.priority > other.priority


def _may_be_read(decision: Decision) -> bool:
    """Whether its conditions are few, and what is not known doesn't count as a match."""
    rules = decision.rules
    if rules is None:
        return True
    return rules.on_unknown in (None, "no_match") and len({*leaves(rules)}) <= LEAVES


def _table(decision: Decision, over: Decision) -> int:
    """The outcomes in which it holds, of all that the leaves of `over` can have."""
    names = list(dict.fromkeys(leaves(over.rules)))
    whole = (1 << (1 << len(names))) - 1
    columns: dict[Leaf, int] = {}
    for place, leaf in enumerate(names):
        block = ((1 << (1 << place)) - 1) << (1 << place)  # as often false as true, in blocks of 2^place
        period = 2 << place
        columns[leaf] = sum(block << start for start in range(0, 1 << len(names), period))
    return _bits(decision.rules, columns, whole) if decision.rules else whole


def _bits(condition: Condition, columns: dict[Leaf, int], whole: int) -> int:
    if isinstance(condition, Leaf):
        return columns[condition]
    parts = [_bits(each, columns, whole) for each in condition.conditions]
    if condition.operator == "NOT":
        return whole & ~parts[0] if parts else 0
    found = whole if condition.operator == "AND" else 0
    for part in parts:
        found = found & part if condition.operator == "AND" else found | part
    return found

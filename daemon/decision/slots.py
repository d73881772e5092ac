"""A recipe's rules by number, so that a request's truths are a list and conditions read it by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.decision.ordering import Measure
from daemon.decision.seen import FALSE, MEASURED, TRUE, UNKNOWN, Seen
from daemon.recipes.conditions import Condition, Leaf

Truths = list[int]
Check = Callable[[Truths], int]


class Slots:
    """Numbers rules as they are asked for."""

    def __init__(self) -> None:
        self.keys: list[tuple[str, str]] = []
        self.tests: list[tuple[int, Leaf]] = []
        self.families: dict[str, int] = {}
        self._family_of: list[int] = []
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, type: str, name: str) -> int:
        """Of a rule."""
        key = (type, name)
        if key not in self._numbers:
            self._numbers[key] = len(self.keys)
            self.keys.append(key)
            self._family_of.append(self.families.setdefault(type, len(self.families)))
        return self._numbers[key]

    def of_leaf(self, leaf: Leaf) -> int:
        """Of a condition. One with a label, a predicate or an on_error has a number of its own."""
        if leaf.label is None and leaf.predicate is None and leaf.on_error is None:
            return self.number(leaf.type, leaf.name)
        name = f"{leaf.name}|{leaf.label}|{leaf.predicate}|{leaf.on_error}"
        known = (leaf.type, name) in self._numbers
        number = self.number(leaf.type, name)
        if not known:
            self.tests.append((number, leaf))
        return number

    def truths(self, seen: Seen) -> tuple[Truths, dict[int, float]]:
        """Of all rules, before projections, and how sure those are that hold, by number."""
        families = [seen.of_family(type) for type in self.families]
        truths = [families[family] for family in self._family_of]
        scores: dict[int, float] = {}
        if seen.broken_rules:
            truths = [seen.truth(type, name) for type, name in self.keys]
        for key, score in seen.matched():
            number = self._numbers.get(key)
            if number is not None:
                truths[number] = TRUE
                scores[number] = score
        for number, leaf in self.tests:
            truths[number] = _tested(leaf, seen)
            if truths[number] == TRUE and leaf.label is not None:
                scores[number] = seen.confidence(leaf.type, f"{leaf.name}:{leaf.label}")
        return truths, scores


def _tested(leaf: Leaf, seen: Seen) -> int:
    if leaf.label is not None and leaf.predicate is not None:
        score = seen.label_score(leaf.type, leaf.name, leaf.label)
        truth = UNKNOWN if score is None else TRUE if leaf.predicate.hold(score) else FALSE
    elif leaf.predicate is not None:
        value = seen.value(leaf.type, leaf.name)
        truth = UNKNOWN if value is None else TRUE if leaf.predicate.hold(value) else FALSE
    else:
        truth = seen.truth(leaf.type, f"{leaf.name}:{leaf.label}" if leaf.label else leaf.name)
    if truth == UNKNOWN and leaf.on_error is not None:
        return TRUE if leaf.on_error == "match" else FALSE
    return truth


def check_of(condition: Condition, slots: Slots) -> Check:
    """A function from truths to the condition's truth."""
    if isinstance(condition, Leaf):
        number = slots.of_leaf(condition)
        return lambda truths: truths[number]
    if condition.operator == "NOT":
        inner = check_of(condition.conditions[0], slots)
        return lambda truths: -inner(truths)
    leaves = tuple(slots.of_leaf(each) for each in condition.conditions if isinstance(each, Leaf))
    branches = tuple(check_of(each, slots) for each in condition.conditions if not isinstance(each, Leaf))
    return _all_of(leaves, branches) if condition.operator == "AND" else _any_of(leaves, branches)


def _all_of(leaves: tuple[int, ...], branches: tuple[Check, ...]) -> Check:
    def check(truths: Truths) -> int:
        least = TRUE
        for number in leaves:
            truth = truths[number]
            if truth < least:
                if truth == FALSE:
                    return FALSE
                least = truth
        for branch in branches:
            truth = branch(truths)
            if truth < least:
                if truth == FALSE:
                    return FALSE
                least = truth
        return least

    return check


def _any_of(leaves: tuple[int, ...], branches: tuple[Check, ...]) -> Check:
    def check(truths: Truths) -> int:
        greatest = FALSE
        for number in leaves:
            truth = truths[number]
            if truth > greatest:
                if truth == TRUE:
                    return TRUE
                greatest = truth
        for branch in branches:
            truth = branch(truths)
            if truth > greatest:
                if truth == TRUE:
                    return TRUE
                greatest = truth
        return greatest

    return check


def measured_in(condition: Condition, slots: Slots) -> frozenset[int]:
    """Numbers of the rules that a condition's measure may come from."""
    if isinstance(condition, Leaf):
        return frozenset({slots.of_leaf(condition)} if condition.type in MEASURED else ())
    if condition.operator == "NOT":
        return frozenset()
    return frozenset().union(*(measured_in(each, slots) for each in condition.conditions))


_MIXED: Final = Measure("", 0.0)
"""Scores on several scales: together they are none."""

Gauge = Callable[[Truths, dict[int, float]], Measure | None]


def gauge_of(condition: Condition, slots: Slots) -> Gauge:
    """A function from truths and scores to how sure a condition is that holds; None if that has no comparable measure."""
    gauge = _gauge(condition, slots)

    def comparable(truths: Truths, scores: dict[int, float]) -> Measure | None:
        found = gauge(truths, scores)
        return None if found is _MIXED else found

    return comparable


def _gauge(condition: Condition, slots: Slots) -> Gauge:
    if isinstance(condition, Leaf):
        return _leaf_gauge(condition.type, slots.of_leaf(condition))
    if condition.operator == "NOT":
        return lambda truths, scores: None  # that something was not seen has no measure
    parts = tuple((check_of(each, slots), _gauge(each, slots)) for each in condition.conditions)
    return _joined_gauge(parts, min if condition.operator == "AND" else max)


def _leaf_gauge(scale: str, number: int) -> Gauge:
    def gauge(truths: Truths, scores: dict[int, float]) -> Measure | None:
        score = scores.get(number) if scale in MEASURED and truths[number] == TRUE else None
        return None if score is None else Measure(scale, score)

    return gauge


def _joined_gauge(parts: tuple[tuple[Check, Gauge], ...], choose: Callable[..., Measure]) -> Gauge:
    def gauge(truths: Truths, scores: dict[int, float]) -> Measure | None:
        held = (inner(truths, scores) for check, inner in parts if check(truths) == TRUE)
        found = [measure for measure in held if measure is not None]
        if not found:
            return None
        if any(measure is _MIXED or measure.scale != found[0].scale for measure in found):
            return _MIXED
        return choose(found, key=lambda measure: measure.score)

    return gauge

"""Projections over a request: partitions, weighted sums, bands.

Theory of operation. Where a signal didn't look, upstream takes its part of a sum for 0, and its later versions withhold the
whole sum. Here a sum is an interval: what is known adds a number, what isn't adds the range that it can have (0 to 1 for a
confidence, `match` or `miss` for a rule, anything for a raw number). A band holds if the whole interval lies in it, fails if
none of it does, and is unknown otherwise. So a card number keeps a request here although no classifier is loaded, and a sum
that hangs on the classifier is not taken for small.
Sums are exact (fsum), so that the order of a file can't change a last digit, and with it a band.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from daemon.decision.intervals import ANYTHING, Interval, distance, exact_sum, holds
from daemon.decision.seen import FALSE, TRUE, UNKNOWN, Seen
from daemon.decision.slots import Slots
from daemon.recipes.model import Routing
from daemon.recipes.projections import KB_METRIC, PROJECTION, SLOPE, Input, Mapping, Partition, Score


class Contest(NamedTuple):
    """How a partition ended. contenders: with the score that each came with. winner: None if it isn't known."""

    name: str
    contenders: tuple[tuple[str, float], ...]
    winner: str | None
    score: float
    margin: float
    default_used: bool


class Addend(NamedTuple):
    """One input of a score."""

    input: Input
    interval: Interval


class Band(NamedTuple):
    """One output of a mapping."""

    name: str
    truth: int
    confidence: float
    distance: float


class Board:
    """A request's truths and scores, filled step by step. scores: of the rules that matched, by number.

    vague: numbers of bands that hold, but whose confidence isn't known.
    """

    def __init__(self, seen: Seen, slots: Slots) -> None:
        self.seen = seen
        self.truths, self.scores = slots.truths(seen)
        self.sums: dict[str, Interval] = {}
        self.vague: set[int] = set()


class Projections:
    """A recipe's, in an order in which each has what it needs."""

    def __init__(self, routing: Routing, slots: Slots) -> None:
        domains = {rule.name for rule in routing.signals.domains}
        self._partitions = tuple(
            _Partition(each, "domain" if each.members[0] in domains else "embedding", slots)
            for each in routing.projections.partitions
        )
        by_source: dict[str, list[_Mapping]] = {}
        for mapping in routing.projections.mappings:
            by_source.setdefault(mapping.source, []).append(_Mapping(mapping, slots))
        self._steps = tuple(
            (_Score(score, slots), tuple(by_source.get(score.name, ()))) for score in routing.projections.in_order()
        )

    def partition(self, board: Board) -> list[Contest]:
        """Let one of each partition's members win."""
        return [each.settle(board) for each in self._partitions]

    def project(self, board: Board) -> None:
        """Add up scores, and mark the bands that hold."""
        for score, mappings in self._steps:
            board.sums[score.name] = interval = score.sum(board)
            for mapping in mappings:
                mapping.mark(board, interval)

    def sums(self, board: Board) -> list[tuple[str, Interval, tuple[Addend, ...]]]:
        """Each score with its inputs."""
        return [(score.name, board.sums[score.name], score.addends(board)) for score, _ in self._steps]

    def bands(self, board: Board) -> list[tuple[str, str, tuple[Band, ...]]]:
        """Each mapping, its source, and its bands."""
        return [
            (mapping.name, score.name, mapping.bands(board.sums[score.name]))
            for score, mappings in self._steps
            for mapping in mappings
        ]


class _Partition:
    """One partition, with its members by number."""

    def __init__(self, partition: Partition, family: str, slots: Slots) -> None:
        self._name = partition.name
        self._members = {name: slots.number(family, name) for name in sorted(partition.members)}
        self._default = partition.default
        self._softmax = partition.semantics == "softmax_exclusive"
        self._temperature = partition.temperature or 1.0

    def settle(self, board: Board) -> Contest:
        truths, scores = board.truths, board.scores
        if any(truths[number] == UNKNOWN for number in self._members.values()):
            for number in self._members.values():
                if truths[number] == TRUE:
                    truths[number] = UNKNOWN  # somebody who hasn't been looked at might win
                    scores.pop(number, None)
            return Contest(self._name, (), None, 0.0, 0.0, False)
        contenders = [(name, scores[number]) for name, number in self._members.items() if truths[number] == TRUE]
        if not contenders:
            number = self._members[self._default]
            truths[number] = TRUE  # without a score: nobody measured it
            return Contest(self._name, (), self._default, 0.0, 0.0, True)
        contenders.sort(key=lambda each: (-each[1], each[0]))
        winner, score = contenders[0]
        if len(contenders) == 1:  # as upstream: who has no rival keeps its own score
            return Contest(self._name, tuple(contenders), winner, score, score, False)
        shares = self._shares([score for _, score in contenders])
        for name, _ in contenders[1:]:
            truths[self._members[name]] = FALSE
            del scores[self._members[name]]
        scores[self._members[winner]] = shares[0]
        return Contest(self._name, tuple(contenders), winner, shares[0], shares[0] - shares[1], False)

    def _shares(self, scores: list[float]) -> list[float]:
        if not self._softmax:
            return scores
        weights = [math.exp((score - scores[0]) / self._temperature) for score in scores]
        whole = math.fsum(weights)
        return [weight / whole for weight in weights]


class _Score:
    """One weighted sum, with its inputs by number."""

    def __init__(self, score: Score, slots: Slots) -> None:
        self.name = score.name
        self._inputs = tuple((input, _number(input, slots)) for input in score.inputs)
        self._binary = tuple(
            (number, input.weight * input.match, input.weight * input.miss)
            for input, number in self._inputs
            if number >= 0 and input.value_source == "binary"
        )
        self._confidence = tuple(
            (number, input.weight)
            for input, number in self._inputs
            if number >= 0 and input.value_source in ("confidence", "score")
        )
        self._others = tuple(
            (input, number) for input, number in self._inputs if number < 0 or input.value_source == "raw"
        )

    def sum(self, board: Board) -> Interval:
        truths, scores = board.truths, board.scores
        known: list[float] = []
        open_: list[tuple[float, float]] = []
        for number, match, miss in self._binary:
            truth = truths[number]
            if truth == UNKNOWN:
                open_.append((min(match, miss), max(match, miss)))
            else:
                known.append(match if truth == TRUE else miss)
        for number, weight in self._confidence:
            truth = truths[number]
            if truth == TRUE:
                known.append(weight * scores.get(number, 1.0))
            elif truth == UNKNOWN:
                open_.append((min(weight, 0.0), max(weight, 0.0)))
        for input, number in self._others:
            low, high = _range(input, number, board)
            if low == high:
                known.append(input.weight * low)
            elif input.weight:
                ends = (input.weight * low, input.weight * high)
                open_.append((min(ends), max(ends)))
        if not open_:
            whole = math.fsum(known)
            return Interval(whole, whole)
        return Interval(
            exact_sum([*known, *(low for low, _ in open_)]), exact_sum([*known, *(high for _, high in open_)])
        )

    def addends(self, board: Board) -> tuple[Addend, ...]:
        return tuple(Addend(input, Interval(*_range(input, number, board))) for input, number in self._inputs)


def _number(input: Input, slots: Slots) -> int:
    if input.type == KB_METRIC or (input.type == PROJECTION and input.value_source != "confidence"):
        return -1
    return slots.number(input.type, input.name or "")


def _range(input: Input, number: int, board: Board) -> tuple[float, float]:
    """Where an input's value lies, before its weight."""
    if input.type == KB_METRIC:
        value = board.seen.value(KB_METRIC, f"{input.kb}:{input.metric}")
        return ANYTHING if value is None else (value, value)
    if number < 0:
        return board.sums.get(input.name or "", ANYTHING)
    if input.value_source == "raw":
        value = board.seen.value(input.type, input.name or "")
        return ANYTHING if value is None else (value, value)
    truth = board.truths[number]
    if input.value_source == "binary":
        if truth == UNKNOWN:
            return min(input.match, input.miss), max(input.match, input.miss)
        value = input.match if truth == TRUE else input.miss
        return value, value
    if truth == UNKNOWN:
        return 0.0, 1.0
    value = board.scores.get(number, 1.0) if truth == TRUE else 0.0
    return value, value


class _Mapping:
    """One mapping, with its outputs by number."""

    def __init__(self, mapping: Mapping, slots: Slots) -> None:
        self.name = mapping.name
        self._slope = (mapping.calibration.slope if mapping.calibration else None) or SLOPE
        self._outputs = tuple(
            (output.name, output.bounds, slots.number(PROJECTION, output.name)) for output in mapping.outputs
        )

    def mark(self, board: Board, interval: Interval) -> None:
        for _, bounds, number in self._outputs:
            board.truths[number] = truth = holds(bounds, interval)
            if truth == TRUE:
                board.scores[number] = self._confidence(distance(bounds, interval))
                if interval.low != interval.high:
                    board.vague.add(number)
            else:
                board.scores.pop(number, None)

    def bands(self, interval: Interval) -> tuple[Band, ...]:
        return tuple(
            Band(name, holds(bounds, interval), self._confidence(gap), gap)
            for name, bounds, _ in self._outputs
            for gap in (distance(bounds, interval),)
        )

    def _confidence(self, gap: float) -> float:
        return 1.0 / (1.0 + math.exp(-min(self._slope * gap, 700.0)))  # beyond, exp() overflows and nothing changes

"""A recipe, ready to decide: from what was seen of a request to the decision that is taken, and why."""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon.decision.ordering import Reason, Standing, could_win, rank, why
from daemon.decision.projections import Board, Contest, Projections
from daemon.decision.seen import TRUE, UNKNOWN, Seen
from daemon.decision.slots import Check, Slots, check_of, gauge_of, measured_in
from daemon.recipes.conditions import leaves
from daemon.recipes.model import Decision, Routing
from daemon.recipes.projections import KB_METRIC, PROJECTION

KB: Final = "kb"
"""The signal whose metrics scores read as `kb_metric`."""
_LEVELS: Final = ("easy", "medium", "hard")


class Outcome(Struct, frozen=True, kw_only=True):
    """What was decided.

    decision: None if none matches; upstream then takes `providers.defaults.default_model`. reason: what put it before the
    next. ranked: all that match, the best first. doubtful: decisions that might have been taken, were all signals here.
    failed_by: the decision whose `on_unknown` is fail_request, None if the request may go on. confidence: how sure the
    decision is, where that was measured.
    """

    decision: str | None
    reason: Reason
    ranked: tuple[str, ...]
    doubtful: tuple[str, ...] = ()
    failed_by: str | None = None
    confidence: float | None = None


class Weighed(Struct, frozen=True, kw_only=True):
    """A request on the board: all truths, for a trace."""

    board: Board
    contests: tuple[Contest, ...]
    truths: dict[str, int]
    standings: dict[str, Standing]


class Engine:
    """One policy. It keeps nothing of a request, and may be asked from several threads."""

    def __init__(self, routing: Routing) -> None:
        self.routing = routing
        self.slots = Slots()
        self._decisions = tuple(
            _Compiled(decision, self.slots) for decision in sorted(routing.decisions, key=lambda each: each.name)
        )
        self._composed = tuple(self._composers(routing))
        self.projections = Projections(routing, self.slots)

    def _composers(self, routing: Routing) -> list[tuple[tuple[int, ...], Check]]:
        """Levels of a complexity rule, and the condition that they need as well."""
        found = []
        for rule in routing.signals.complexity:
            if rule.composer is not None:
                levels = tuple(self.slots.number("complexity", f"{rule.name}:{level}") for level in _LEVELS)
                found.append((levels, check_of(rule.composer, self.slots)))
        return found

    def decide(self, seen: Seen) -> Outcome:
        """Choose for a request."""
        board = Board(seen, self.slots)
        self._fill(board)
        matches: list[_Compiled] = []
        hoped: list[Standing] = []
        doubtful: list[tuple[Standing, bool]] = []
        for each in self._decisions:
            truth = each.truth(board)
            if truth == TRUE:
                matches.append(each)
            elif truth == UNKNOWN:
                doubtful.append((each.standing, each.on_unknown == "fail_request"))
                if each.on_unknown == "match":
                    hoped.append(each.standing)
        peers = Counter(self._rank_of(standing) for standing in (*(each.standing for each in matches), *hoped))
        standings = [
            each.measured(board) if peers[self._rank_of(each.standing)] > 1 else each.standing for each in matches
        ]
        outcome = self._outcome(standings + hoped, doubtful)
        taken = next((each for each in matches if each.standing.name == outcome.decision), None)
        measure = taken.measured(board).measure if taken else None
        return outcome if measure is None else replace(outcome, confidence=measure.score)

    def _rank_of(self, standing: Standing) -> tuple[object, ...]:
        """Those of one rank are told apart by their measure, the others without."""
        if self.routing.strategy == "confidence":
            return (standing.catch_all, standing.tier)
        return (standing.catch_all, standing.tier, standing.priority)

    def _outcome(self, matches: list[Standing], doubtful: list[tuple[Standing, bool]]) -> Outcome:
        strategy = self.routing.strategy
        ranked = rank(matches, strategy)
        winner = ranked[0] if ranked else None
        rivals = [(standing, fails) for standing, fails in doubtful if could_win(standing, winner, strategy)]
        peers = [standing for standing in ranked[1:] if could_win(standing, winner, strategy)]
        if winner and any(standing.vague for standing in (winner, *peers)):
            known = {standing.name for standing, _ in rivals}
            rivals += [(standing, False) for standing in peers if standing.name not in known]
        failing = [standing for standing, fails in rivals if fails]
        return Outcome(
            decision=winner.name if winner else None,
            reason=why(ranked, strategy),
            ranked=tuple(standing.name for standing in ranked),
            doubtful=tuple(standing.name for standing, _ in rivals),
            failed_by=rank(failing, strategy)[0].name if failing else None,
        )

    def _fill(self, board: Board) -> list[Contest]:
        contests = self.projections.partition(board)
        for levels, check in self._composed:
            truth = check(board.truths)
            for number in levels:
                if truth < board.truths[number]:
                    board.truths[number] = truth
                    board.scores.pop(number, None)
        self.projections.project(board)
        return contests

    def weigh(self, seen: Seen) -> Weighed:
        """All that `decide` looks at, for people."""
        board = Board(seen, self.slots)
        contests = self._fill(board)
        truths = {each.standing.name: each.truth(board) for each in self._decisions}
        standings = {each.standing.name: each.measured(board) for each in self._decisions}
        return Weighed(board=board, contests=tuple(contests), truths=truths, standings=standings)

    def families(self, decisions: tuple[str, ...] | None = None) -> frozenset[str]:
        """Signals that decisions hang on, through projections too; None: all decisions."""
        asked: set[str] = set()
        for decision in self.routing.decisions:
            if decisions is None or decision.name in decisions:
                for leaf in leaves(decision.rules):
                    self._reach(leaf.type, leaf.name, asked, set())
        return frozenset(asked)

    def _reach(self, type: str, name: str, asked: set[str], passed: set[str]) -> None:
        projections = self.routing.projections
        if type != PROJECTION:
            asked.add(KB if type == KB_METRIC else type)
            for rule in self.routing.signals.complexity if type == "complexity" else ():
                asked |= {leaf.type for leaf in leaves(rule.composer)}
            return
        source = projections.sources().get(name, name)
        if source in passed:
            return
        passed.add(source)
        for score in projections.scores:
            if score.name == source:
                for input in score.inputs:
                    self._reach(input.type, input.name or "", asked, passed)


class _Compiled:
    """One decision, ready to be asked."""

    def __init__(self, decision: Decision, slots: Slots) -> None:
        rules = decision.rules
        self.standing = Standing(decision.name, decision.priority, decision.tier, rules is None)
        self.on_unknown = rules.on_unknown if rules else None
        self._check = check_of(rules, slots) if rules else None
        self._gauge = gauge_of(rules, slots) if rules else None
        self._measured_in = measured_in(rules, slots) if rules else frozenset[int]()

    def truth(self, board: Board) -> int:
        return TRUE if self._check is None else self._check(board.truths)

    def measured(self, board: Board) -> Standing:
        """With how sure it is, if it matches."""
        if self._gauge is None or self.truth(board) != TRUE:
            return self.standing
        measure = self._gauge(board.truths, board.scores)
        vague = any(board.truths[number] == UNKNOWN or number in board.vague for number in self._measured_in)
        return self.standing._replace(measure=measure, vague=vague)

"""Why a decision was taken: every partition, score, band and condition, with the names of upstream's trace (schema v1)."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from daemon.decision.engine import Engine, Outcome, Weighed
from daemon.decision.seen import FALSE, TRUE, UNKNOWN, Seen
from daemon.decision.slots import Truths, check_of
from daemon.recipes.conditions import Condition, Leaf, Operator
from daemon.recipes.dsl_printer import condition_text
from daemon.recipes.nodes import node_of
from daemon.recipes.plain import plain

Truth = Literal["true", "unknown", "false"]
WORDS: Final[dict[int, Truth]] = {TRUE: "true", UNKNOWN: "unknown", FALSE: "false"}


class Contender(Struct, frozen=True, kw_only=True):
    """A member of a partition that matched, with its own score."""

    name: str
    raw_score: float


class PartitionTrace(Struct, frozen=True, kw_only=True):
    """winner: None if a member's signal didn't look. margin: to the next."""

    name: str
    contenders: tuple[Contender, ...]
    winner: str | None
    winner_score: float
    margin: float
    default_used: bool


class InputTrace(Struct, frozen=True, kw_only=True):
    """low, high: where its contribution lies; None without an end. They are the same if its signal looked."""

    type: str
    name: str
    weight: float
    low: float | None
    high: float | None


class ScoreTrace(Struct, frozen=True, kw_only=True):
    """low, high: where the sum lies."""

    name: str
    low: float | None
    high: float | None
    contributions: tuple[InputTrace, ...]


class BandTrace(Struct, frozen=True, kw_only=True):
    """confidence counts where it holds. boundary_distance: to the nearest edge."""

    name: str
    matched: Truth
    confidence: float
    boundary_distance: float | None


class MappingTrace(Struct, frozen=True, kw_only=True):
    """The bands over a score."""

    name: str
    source: str
    outputs: tuple[BandTrace, ...]


class ConditionTrace(Struct, frozen=True, kw_only=True):
    """A condition, as the language writes it, with its parts."""

    text: str
    truth: Truth
    operator: Operator | None = None
    parts: tuple[ConditionTrace, ...] = ()


class DecisionTrace(Struct, frozen=True, kw_only=True):
    """measure: how sure, and on which scale, where that can be compared."""

    name: str
    truth: Truth
    tier: int
    priority: int
    measure: float | None = None
    scale: str | None = None
    rules: ConditionTrace | None = None


class Trace(Struct, frozen=True, kw_only=True):
    """All of it. decisions: by name."""

    outcome: Outcome
    partitions: tuple[PartitionTrace, ...]
    scores: tuple[ScoreTrace, ...]
    mappings: tuple[MappingTrace, ...]
    decisions: tuple[DecisionTrace, ...]
    schema_version: Literal["v1"] = "v1"


def trace(engine: Engine, seen: Seen) -> Trace:
    """Of one request. It holds names and numbers, and no words."""
    weighed = engine.weigh(seen)
    return Trace(
        outcome=engine.decide(seen),
        partitions=tuple(
            PartitionTrace(
                name=each.name,
                contenders=tuple(Contender(name=name, raw_score=score) for name, score in each.contenders),
                winner=each.winner,
                winner_score=each.score,
                margin=each.margin,
                default_used=each.default_used,
            )
            for each in weighed.contests
        ),
        scores=_scores(engine, weighed),
        mappings=_mappings(engine, weighed),
        decisions=_decisions(engine, weighed),
    )


def _scores(engine: Engine, weighed: Weighed) -> tuple[ScoreTrace, ...]:
    found = []
    for name, sum, addends in engine.projections.sums(weighed.board):
        contributions = []
        for input, interval in addends:
            ends = sorted((input.weight * end if input.weight else 0.0) for end in interval)
            title = input.name or f"{input.kb}:{input.metric}"
            contributions.append(
                InputTrace(
                    type=input.type, name=title, weight=input.weight, low=_finite(ends[0]), high=_finite(ends[1])
                )
            )
        found.append(
            ScoreTrace(name=name, low=_finite(sum.low), high=_finite(sum.high), contributions=tuple(contributions))
        )
    return tuple(found)


def _finite(value: float) -> float | None:
    return value if abs(value) != float("inf") else None


def _mappings(engine: Engine, weighed: Weighed) -> tuple[MappingTrace, ...]:
    return tuple(
        MappingTrace(
            name=name,
            source=source,
            outputs=tuple(
                BandTrace(
                    name=band.name,
                    matched=WORDS[band.truth],
                    confidence=band.confidence,
                    boundary_distance=_finite(band.distance),
                )
                for band in bands
            ),
        )
        for name, source, bands in engine.projections.bands(weighed.board)
    )


def _decisions(engine: Engine, weighed: Weighed) -> tuple[DecisionTrace, ...]:
    found = []
    for decision in sorted(engine.routing.decisions, key=lambda each: each.name):
        measure = weighed.standings[decision.name].measure
        found.append(
            DecisionTrace(
                name=decision.name,
                truth=WORDS[weighed.truths[decision.name]],
                tier=decision.tier,
                priority=decision.priority,
                measure=measure.score if measure else None,
                scale=measure.scale if measure else None,
                rules=_condition(decision.rules, engine, weighed.board.truths) if decision.rules else None,
            )
        )
    return tuple(found)


def _condition(condition: Condition, engine: Engine, truths: Truths) -> ConditionTrace:
    found = plain(condition)
    found.pop("on_unknown", None)
    parts = () if isinstance(condition, Leaf) else condition.conditions
    return ConditionTrace(
        text=condition_text(node_of(found)),
        truth=WORDS[check_of(condition, engine.slots)(truths)],
        operator=None if isinstance(condition, Leaf) else condition.operator,
        parts=tuple(_condition(each, engine, truths) for each in parts),
    )

"""What a recipe's verdict looks like to whoever asks for a preview."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from daemon.boundary.judge import Clearance
from daemon.decision.trace import ConditionTrace, Trace
from daemon.errors import BadRequest
from daemon.pipeline import Visit
from daemon.preview_wire import DecisionResult, DecisionTrace, Here, Likeness, Names, Node, Preview, Status
from daemon.recipes.conditions import leaves
from daemon.recipes.model import Decision
from daemon.recipes.vocabulary import FAMILIES
from daemon.routing.live import Live, Verdict
from daemon.routing.plugins.registry import is_on
from daemon.routing.selection.choosing import STATIC
from daemon.signals.base import Observation

_KINDS: Final = {
    "keyword": "keywords",
    "embedding": "embeddings",
    "domain": "domains",
    "preference": "preferences",
}
"""Upstream's word in an answer, where it isn't the family's."""
_ANY: Final = Clearance("open")
"""Of this machine."""
_BY_ANSWERS: Final = frozenset({"confidence", "ratings", "remom", "fusion", "workflows"})
"""Algorithms that have no model before models have answered."""


def told(visit: Visit, trace: bool) -> Preview:
    """Of a visit whose decision is taken. trace: whether all decisions are to be told."""
    decision, papers = visit.decision, visit.papers
    if decision is None or papers is None:
        raise BadRequest("nothing was decided yet")
    here = Here(
        rule=decision.rule,
        looper=decision.looper,
        candidates=tuple(each.name for each in decision.candidates),
        reach=papers.clearances.general.reach,
        why=papers.clearances.general.why,
        notes=decision.route.notes if decision.route else (),
        doubtful=visit.verdict.outcome.doubtful if visit.verdict else (),
        likeness=tuple(_likeness(visit.observations)) if trace and visit.live else (),
        asks=tuple(
            each.provider for each in decision.candidates if papers.clearances.own.get(each.provider, _ANY).asks
        ),
        away=dict(decision.away),
        pictures=visit.pictures,
        over_limit=decision.over_limit,
    )
    if visit.live is None or visit.verdict is None:
        return _without_recipe(visit, here)
    return _with_recipe(visit, visit.live, visit.verdict, here, trace)


def _without_recipe(visit: Visit, here: Here) -> Preview:
    """By the model name alone."""
    nothing = DecisionResult(
        decision_name=here.rule, algorithm=here.looper, confidence=0.0, plugins=(), used_signals={}, matched_signals={},
        unmatched_signals={},
    )  # fmt: skip
    settled = here.looper == "single"
    return Preview(
        recipe="",
        requested_model=visit.request.model,
        routing_decision=here.rule,
        decision_result=nothing,
        recommended_models=here.candidates,
        selected_model=here.candidates[0] if settled else "",
        selection_method=here.looper,
        selection_status="selected" if settled else "execution_required",
        signal_errors={},
        nearloop=here,
    )


def _with_recipe(visit: Visit, live: Live, verdict: Verdict, here: Here, trace: bool) -> Preview:
    found = live.trace(visit.observations)
    models = tuple(ref.model for ref in verdict.refs)
    algorithm = _algorithm(verdict.decision)
    model, status = _selected(visit, verdict, algorithm, models)
    return Preview(
        recipe=live.name,
        requested_model=visit.request.model,
        routing_decision=verdict.outcome.decision or "",
        decision_result=_result(visit, live, verdict, algorithm),
        recommended_models=models,
        selected_model=model,
        selection_method="single" if algorithm == STATIC and len(models) == 1 else algorithm,
        selection_status=status,
        signal_errors=dict(_errors(visit.observations)),
        nearloop=here,
        eval_trace=_decisions(found, verdict) if trace else (),
        projection_trace=_projections(found) if trace else {},
    )


def _selected(visit: Visit, verdict: Verdict, algorithm: str, models: tuple[str, ...]) -> tuple[str, Status]:
    """In the recipe's words: the one that was selected here, else the one that it would be with all of them here."""
    route = visit.decision.route if visit.decision else None
    if verdict.decision is None:
        return (models[0], "fallback") if models else ("", "unavailable")
    if visit.decision and visit.decision.looper == "fast_response":
        return "", "execution_required"
    if algorithm in _BY_ANSWERS:
        return "", "execution_required"
    if not models:
        return "", "unavailable"
    return (route.model if route and route.model else models[0]), "selected"


def _algorithm(decision: Decision | None) -> str:
    return decision.algorithm.type if decision and decision.algorithm else STATIC


def _result(visit: Visit, live: Live, verdict: Verdict, algorithm: str) -> DecisionResult:
    decision = verdict.decision
    asked = [(leaf.type, leaf.name) for leaf in leaves(decision.rules)] if decision else []
    matched = [(family, name) for family, names in live.matched(visit.observations).items() for name in names]
    return DecisionResult(
        decision_name=decision.name if decision else "",
        algorithm=algorithm,
        confidence=verdict.outcome.confidence or 0.0,
        plugins=tuple(plugin.type for plugin in decision.plugins if is_on(plugin)) if decision else (),
        used_signals=_names(asked),
        matched_signals=_names(matched),
        unmatched_signals=_names(each for each in live.asked() if each not in matched),
    )


def _names(pairs: Iterable[tuple[str, str]]) -> Names:
    found: dict[str, list[str]] = {}
    for family, name in pairs:
        found.setdefault(_KINDS.get(family, family), []).append(name)
    return {kind: tuple(sorted(set(names))) for kind, names in found.items()}


def _likeness(observations: tuple[Observation, ...]) -> Iterable[Likeness]:
    for seen in observations:
        if seen.held is not None:
            yield Likeness(
                signal=seen.signal,
                name=seen.name,
                matched=seen.matched,
                score=seen.score if seen.value is None else seen.value,
                threshold=seen.held.threshold,
                likeness=seen.held.likeness,
                threshold_here=seen.held.here,
            )


def _errors(observations: tuple[Observation, ...]) -> Iterable[tuple[str, str]]:
    for seen in observations:
        if seen.error is not None and seen.signal in FAMILIES:
            yield f"{seen.signal}:{seen.name}" if seen.only else seen.signal, seen.error


def _decisions(found: Trace, verdict: Verdict) -> tuple[DecisionTrace, ...]:
    return tuple(
        DecisionTrace(
            decision_name=each.name,
            matched=each.name in verdict.outcome.ranked,
            confidence=each.measure or 0.0,
            tier=each.tier,
            priority=each.priority,
            root_trace=_node(each.rules) if each.rules else None,
        )
        for each in found.decisions
    )


def _node(condition: ConditionTrace) -> Node:
    return Node(
        text=condition.text,
        matched=condition.truth == "true",
        truth=condition.truth,
        operator=condition.operator,
        children=tuple(map(_node, condition.parts)),
    )


def _projections(found: Trace) -> dict[str, object]:
    """Upstream's trace of projections, schema v1."""
    return {
        "schema_version": found.schema_version,
        "partitions": msgspec.to_builtins(found.partitions),
        "scores": msgspec.to_builtins(found.scores),
        "mappings": msgspec.to_builtins(found.mappings),
    }

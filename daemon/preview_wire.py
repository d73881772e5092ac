"""Shapes of a routing preview: upstream's EvalResponse (v0.3), and what would become of a request here."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daemon.wire import Picture

Status = Literal["selected", "planned_final", "fallback", "execution_required", "unavailable", "failed"]
Names = dict[str, tuple[str, ...]]
"""Names of rules by kind of signal, in upstream's plural where it has one."""


class Node(Struct, frozen=True, kw_only=True):
    """A condition, as the recipe language writes it. truth: `true`, `false` or `unknown`; matched: whether it counts."""

    text: str
    matched: bool
    truth: str
    operator: str | None = None
    children: tuple[Node, ...] = ()


class DecisionTrace(Struct, frozen=True, kw_only=True):
    """One decision of the recipe. root_trace: None for one without rules."""

    decision_name: str
    matched: bool
    confidence: float
    tier: int
    priority: int
    root_trace: Node | None = None


class DecisionResult(Struct, frozen=True, kw_only=True):
    """The decision that is taken. used_signals: those that its rules name; the other two are of the whole recipe."""

    decision_name: str
    algorithm: str
    confidence: float
    plugins: tuple[str, ...]
    used_signals: Names
    matched_signals: Names
    unmatched_signals: Names


class Likeness(Struct, frozen=True, kw_only=True):
    """A rule whose threshold was chosen for another embedder. score, threshold: on the recipe's scale. likeness,
    threshold_here: the same on this machine's; the latter is null where a rule compares two likenesses.
    """

    signal: str
    name: str
    matched: bool
    score: float
    threshold: float | None
    likeness: float
    threshold_here: float | None


class Here(Struct, frozen=True, kw_only=True):
    """What this machine would do: whom it would ask, in order, how far the request may travel, and why.

    notes: why candidates of the recipe were passed over, as codes. doubtful: decisions that might have been taken, could all
    signals look. likeness: if the trace was asked for. asks: for which providers the user would be asked first.
    away: who could not be asked now, and why, as a code. pictures: what was seen of them. over_limit: whom what may be spent
    doesn't pay for now.
    """

    rule: str
    looper: str
    candidates: tuple[str, ...]
    reach: Literal["device", "masked", "open"]
    why: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    likeness: tuple[Likeness, ...] = ()
    asks: tuple[str, ...] = ()
    away: dict[str, str] = {}
    pictures: tuple[Picture, ...] = ()
    over_limit: tuple[str, ...] = ()


class Preview(Struct, frozen=True, kw_only=True):
    """What would be decided. Fields up to signal_errors are upstream's, and about the recipe; `nearloop` is about here.

    recommended_models: all of the decision's, in the recipe's words. eval_trace, projection_trace: if asked for.
    """

    recipe: str
    requested_model: str
    routing_decision: str
    decision_result: DecisionResult
    recommended_models: tuple[str, ...]
    selected_model: str
    selection_method: str
    selection_status: Status
    signal_errors: dict[str, str]
    nearloop: Here
    eval_trace: tuple[DecisionTrace, ...] = ()
    projection_trace: dict[str, object] = {}

"""Conditions over signals: leaves that name one, branches that join them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from daemon.recipes.values import Bounds, Identifier, Name, Part

Operator = Literal["AND", "OR", "NOT"]
OnUnknown = Literal["no_match", "match", "fail_request"]


class Leaf(Part, frozen=True, kw_only=True):
    """Whether a rule of a signal matched. type: the signal. name: the rule's, or `rule:label`.

    predicate: a test of the score that `label` got, instead. on_error: what it counts as if nobody looked.
    """

    type: Identifier
    name: Name
    label: Name | None = None
    predicate: Bounds | None = None
    on_error: Literal["no_match", "match"] | None = None


class Branch(Part, frozen=True, kw_only=True):
    """Conditions, joined. NOT has exactly one. on_unknown, at the root only: what an unknown outcome counts as."""

    operator: Operator
    conditions: Annotated[tuple[Condition, ...], Meta(max_length=1000)] = ()
    on_unknown: OnUnknown | None = None


Condition = Leaf | Branch


def canonical(condition: Condition | None) -> Branch | None:
    """The one form of each: nothing for a catch-all, an AND around a single leaf, no other AND or OR of one."""
    if condition is None or (
        isinstance(condition, Branch) and condition.operator != "NOT" and not condition.conditions
    ):
        return None
    bare = _bare(condition)
    on_unknown = condition.on_unknown if isinstance(condition, Branch) else None
    if isinstance(bare, Leaf):
        return Branch(operator="AND", conditions=(bare,), on_unknown=on_unknown)
    return Branch(operator=bare.operator, conditions=bare.conditions, on_unknown=on_unknown)


def _bare(condition: Condition) -> Condition:
    if isinstance(condition, Leaf):
        return condition
    inner = tuple(_bare(each) for each in condition.conditions)
    if condition.operator != "NOT" and len(inner) == 1:
        return inner[0]
    return Branch(operator=condition.operator, conditions=inner)


def leaves(condition: Condition | None) -> Iterator[Leaf]:
    """All of them."""
    if isinstance(condition, Leaf):
        yield condition
    elif condition is not None:
        for each in condition.conditions:
            yield from leaves(each)

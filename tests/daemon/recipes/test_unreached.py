"""Decisions that are never taken."""

from __future__ import annotations

import pytest

from daemon.recipes.loading import load
from daemon.recipes.problems import Problem

SIGNALS = """
SIGNAL keyword a { keywords: ["a"] }
SIGNAL keyword b { keywords: ["b"] }
SIGNAL domain law {}
MODEL m {}
"""
A, B = 'keyword("a")', 'keyword("b")'


def route(name: str, when: str = "", more: str = "") -> str:
    return f'ROUTE {name} {{ {f"WHEN {when}" if when else ""} {more} MODEL "m" }}\n'


def notes(*routes: str, strategy: str = "") -> list[Problem]:
    loaded = load(SIGNALS + strategy + "".join(routes), "dsl")
    return [each for each in loaded.problems if each.code == "never-taken"]


@pytest.mark.parametrize(
    "routes",
    [
        (route("first", "", "PRIORITY 2"), route("second")),
        (route("first", A, "PRIORITY 2"), route("second", A)),
        (route("first", A), route("second", A)),  # names end ties
        (route("first", A, "PRIORITY 2"), route("second", f"{A} AND {B}")),
        (route("first", f"{A} OR {B}", "PRIORITY 2"), route("second", f"{B} AND NOT {A}")),
        (route("first", A, "TIER 1"), route("second", f"{A} AND {B}", "PRIORITY 9")),
        (route("first", A, "TIER 1"), route("second", A, "TIER 2")),
        (route("first", f"NOT ({A} AND {B})", "PRIORITY 2"), route("second", f"NOT {A} AND {B}")),
        (route("second", f"{A} AND NOT {A}"),),
    ],
)
def test_who_is_never_taken_is_told(routes: tuple[str, ...]) -> None:
    """With its place, and who goes before."""
    (note,) = notes(*routes)

    assert "`second`" in note.message
    assert ("`first`" in note.message) is (len(routes) == 2)
    assert note.severity == "note"
    assert note.remedy
    assert note.place


@pytest.mark.parametrize(
    "routes",
    [
        (route("first"), route("second", A)),  # who asks for nothing comes last, whatever its priority
        (route("first", "", "PRIORITY 9 TIER 1"), route("second", A)),
        (route("first", f"{A} AND {B}", "PRIORITY 2"), route("second", A)),
        (route("first", A), route("second", f"{A} AND {B}")),  # of the same priority: the name of the day decides
        (route("first", A, "PRIORITY 2"), route("second", B)),
        (route("first", A, "PRIORITY 2"), route("second", f"{A} OR {B}")),
        (route("first", A, "TIER 2 PRIORITY 9"), route("second", f"{A} AND {B}", "TIER 1")),
    ],
)
def test_who_may_be_taken_is_not(routes: tuple[str, ...]) -> None:
    """Neither of the two."""
    assert notes(*routes) == []


def test_an_empty_or_goes_before_other_empty_ones() -> None:
    """Written out in YAML it holds always, as nothing at all does."""
    text = """
routing:
  modelCards: [{name: m}]
  decisions:
    - {name: first, priority: 2, rules: {operator: OR, conditions: []}, modelRefs: [{model: m}]}
    - {name: second, modelRefs: [{model: m}]}
"""
    (note,) = (each for each in load(text, "yaml").problems if each.code == "never-taken")

    assert note.message == "`second` is never taken: `first` always holds too, and goes before"


def test_where_confidence_decides_nothing_is_sure() -> None:
    """But of decisions with the same rules, which measure the same."""
    text = "routing:\n  strategy: confidence\n  modelCards: [{name: m}]\n  signals: {domains: [{name: law}, {name: math}]}\n"
    law, math = (f"{{type: domain, name: {name}}}" for name in ("law", "math"))

    def found(first: str, second: str) -> list[str]:
        rules = "  decisions:\n" + "".join(
            f"    - {{name: {name}, priority: {priority}, rules: {{operator: AND, conditions: [{given}]}}, modelRefs: [{{model: m}}]}}\n"
            for name, priority, given in (("first", 2, first), ("second", 1, second))
        )
        return [each.code for each in load(text + rules, "yaml").problems if each.code == "never-taken"]

    assert found(law, f"{law}, {math}") == []
    assert found(law, law) == ["never-taken"]


def test_many_signals_are_left_alone() -> None:
    """And take no time."""
    signals = "".join(f'SIGNAL keyword k{number} {{ keywords: ["{number}"] }}\n' for number in range(40))
    everything = " AND ".join(f'keyword("k{number}")' for number in range(40))
    loaded = load(f"{signals}MODEL m {{}}\n{route('first', everything)}{route('second', everything)}", "dsl")

    assert [each for each in loaded.problems if each.code == "never-taken"] == []

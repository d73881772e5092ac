"""Parts that fit each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.recipes.check import FIELDS, check
from daemon.recipes.files import read_recipe
from daemon.recipes.problems import Problem

BASE = """
SIGNAL keyword urgent { keywords: ["now"] }
SIGNAL domain law {}
SIGNAL domain math {}
SIGNAL embedding help { threshold: 0.5 candidates: ["help"] }
SIGNAL complexity hard { threshold: 0.1 hard: {} easy: {} }
SIGNAL classifier risk { type: "local" labels: ["SAFE", "RISKY"] }
PROJECTION score one { inputs: [{ type: "keyword", name: "urgent", weight: 1 }] }
PROJECTION mapping bands { source: "one" outputs: [{ name: "low", lt: 0.5 }, { name: "high", gte: 0.5 }] }
MODEL m {}
ROUTE r { WHEN keyword("urgent") MODEL "m" }
"""


def found(more: str) -> list[Problem]:
    return list(check(read_recipe(BASE + more, "dsl")))


def when(condition: str) -> str:
    return f'ROUTE other {{ WHEN {condition} MODEL "m" }}'


def test_the_base_is_good() -> None:
    """What the cases below add to has no fault of its own."""
    assert found("") == []


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (when('keyword("urgant")'), "unknown-rule"),
        (when('keywrd("urgent")'), "unknown-signal"),
        (when('projection("hihg")'), "unknown-rule"),
        (when('complexity("hard")'), "missing-level"),
        (when('complexity("hard:very")'), "unknown-level"),
        (when('classifier("risk")'), "missing"),
        (when('classifier("risk", label: "RISKI")'), "unknown-label"),
        ('ROUTE r { MODEL "m" }', "duplicate-name"),
        ("SIGNAL domain law {}", "duplicate-name"),
        ("MODEL m {}", "duplicate-name"),
        ("ROUTE other { TIER 1 }", "no-candidate"),
        ('ROUTE other { MODEL "nobody" }', "unknown-model"),
        ('PROJECTION partition p { members: ["law", "maths"] default: "law" }', "unknown-rule"),
        ('PROJECTION partition p { members: ["law", "help"] default: "law" }', "unknown-rule"),
        ('PROJECTION partition p { members: ["law", "math"] default: "help" }', "unknown-rule"),
        (
            'PROJECTION partition p { members: ["law"] default: "law" }'
            'PROJECTION partition q { members: ["law", "math"] default: "math" }',
            "duplicate-name",
        ),
        ('PROJECTION score two { inputs: [{ type: "keyword", name: "x", weight: 1 }] }', "unknown-rule"),
        ('PROJECTION score two { inputs: [{ type: "keyword", weight: 1 }] }', "missing"),
        ('PROJECTION score two { inputs: [{ type: "kb_metric", kb: "k", weight: 1 }] }', "missing"),
        ('PROJECTION score two { inputs: [{ type: "projection", name: "onn", weight: 1 }] }', "unknown-rule"),
        ('PROJECTION score two { inputs: [{ type: "projection", name: "two", weight: 1 }] }', "circle"),
        (
            'PROJECTION score two { inputs: [{ type: "projection", name: "three", weight: 1 }] }'
            'PROJECTION score three { inputs: [{ type: "projection", name: "b", value_source: "confidence", weight: 1 }] }'
            'PROJECTION mapping m { source: "two" outputs: [{ name: "b", gt: 0 }] }',
            "circle",
        ),
        ('PROJECTION mapping m { source: "onn" outputs: [{ name: "b", gt: 0 }] }', "unknown-rule"),
        ('PROJECTION mapping m { source: "one" outputs: [{ name: "low", gt: 0 }] }', "duplicate-name"),
        ('PROJECTION mapping m { source: "one" outputs: [{ name: "a", lt: 0.5 }, { name: "b", gt: 0.4 }] }', "overlap"),
        ('PROJECTION mapping m { source: "one" outputs: [{ name: "a", lte: 0.5 }, { name: "b", gte: 0.5 }] }', "overlap"),
        ('PROJECTION mapping m { source: "one" outputs: [{ name: "a", gt: 0.5, lt: 0.5 }] }', "empty-band"),
        ('SIGNAL image i { mismatch: { domains: ["laws"] kinds: ["ui"] } }', "unknown-rule"),
        ('SIGNAL image i { mismatch: { domains: ["law"] } }', "missing"),
        ('SIGNAL image i { unseen: true kinds: ["ui"] }', "misplaced"),
        ("SIGNAL input_modality video {}", "unknown-value"),
        ('SIGNAL context c { min_tokens: "many" }', "bad-number"),
        ('SIGNAL context c { min_tokens: "8K" max_tokens: 100 }', "empty-band"),
        ('SIGNAL structure s { feature: { type: "count", source: { type: "regex" } } }', "missing"),
        ('SIGNAL structure s { feature: { type: "count", source: { type: "regex", pattern: "(" } } }', "bad-pattern"),
        ('ROUTE other { MODEL "m" ALGORITHM static { a: 1 } algorithm_on_error: "skip" }', None),
        ('ENTRYPOINT { model_names: ["a"] recipe: "nobody" }', "unknown-recipe"),
        ('ENTRYPOINT { model_names: ["a"] recipe: "default" } ENTRYPOINT { model_names: ["a"] recipe: "default" }', "duplicate-name"),
        ('RECIPE x { ROUTE r { WHEN keyword("urgent") MODEL "m" } }', "unknown-rule"),
        ('TEST t { "words" -> nowhere }', "unknown-route"),
    ],
)  # fmt: skip
def test_faults(more: str, code: str | None) -> None:
    """Each has a name and a remedy, and nothing else is found."""
    problems = found(more)

    assert [problem.code for problem in problems] == ([code] if code else [])
    assert all(problem.remedy and problem.key for problem in problems)


def test_a_block_of_another_algorithm() -> None:
    """Options that nobody would read are refused."""
    text = "routing: {decisions: [{name: d, modelRefs: [{model: m}], algorithm: {type: static, confidence: {}}}]}"

    codes = [problem.code for problem in check(read_recipe(text, "yaml"))]

    assert codes == ["misplaced", "unknown-model"]


@pytest.mark.parametrize("method", ["", 'method: "threshold_bands"'])
def test_bands_that_touch_are_good(method: str) -> None:
    """`lt: 0.5` and `gte: 0.5` share no number; with multi_emit bands may overlap."""
    touching = (
        f'PROJECTION mapping m {{ source: "one" {method} outputs: [{{ name: "a", lte: 1 }}, {{ name: "b", gt: 1 }}] }}'
    )
    overlapping = touching.replace(method, 'method: "multi_emit"') if method else ""

    assert found(touching) == []
    assert found(overlapping.replace("gt: 1", "gt: 0")) == []


def test_inside_conditions() -> None:
    """A joint without conditions is refused."""
    text = """
routing:
  signals: {pii: [{name: p}, {name: q}]}
  modelCards: [{name: m}]
  decisions:
    - name: d
      modelRefs: [{model: m}]
      rules:
        operator: OR
        conditions:
          - {type: pii, name: p}
          - {operator: AND}
"""
    assert [problem.code for problem in check(read_recipe(text, "yaml"))] == ["empty"]


def test_a_blank_keyword_is_told() -> None:
    """The recipe can be used, without it."""
    (problem,) = found('SIGNAL keyword more { keywords: ["x", " "] }')

    assert (problem.code, problem.severity) == ("blank-keyword", "warning")
    assert problem.key == "routing.signals.keywords[1].keywords[1]"


def test_the_fields_of_a_mismatch_are_the_head_s() -> None:
    """Those that upstream's benchmark has, and rules of the recipe's own."""
    manifest = json.loads((Path(__file__).parents[3] / "assets/models/signals/signals.json").read_text())
    (head,) = (head for head in manifest["heads"] if head["name"] == "domain")

    assert set(FIELDS) == set(head["labels"])
    assert found('SIGNAL image i { mismatch: { domains: ["law", "health"] kinds: ["ui"] } }') == []

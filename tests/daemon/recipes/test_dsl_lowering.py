"""Statements that become what YAML would have said."""

from __future__ import annotations

import pytest

from daemon.recipes.dsl_lowering import MAX_BRANCHES
from daemon.recipes.files import read_recipe
from daemon.recipes.model import RecipeFile
from daemon.recipes.problems import BadRecipe


def read(text: str) -> RecipeFile:
    return read_recipe(text, "dsl")


def refusals(text: str) -> list[tuple[str, int]]:
    with pytest.raises(BadRecipe) as caught:
        read(text)
    return [(problem.code, problem.place.line if problem.place else 0) for problem in caught.value.problems]


def test_every_statement() -> None:
    """The whole language says what the same recipe says in YAML."""
    dsl = """
ROUTING { strategy: "confidence" }
ENTRYPOINT { model_names: ["auto", "vllm-sr/auto"] recipe: "default" }
SIGNAL authz admin { role: "admin" subjects: [{ kind: "Group", name: "admins" }] }
SIGNAL domain "computer science" { mmlu_categories: ["computer science"] }
PROJECTION partition p { semantics: "softmax_exclusive" temperature: 0.1 members: ["computer science"] default: "computer science" }
PROJECTION score s { method: "weighted_sum" inputs: [{ type: "authz", name: "admin", weight: -0.5, miss: 1 }] }
PROJECTION mapping m { source: "s" method: "threshold_bands" calibration: { method: "sigmoid_distance", slope: 10 } outputs: [{ name: "b", gte: 0.5 }] }
MODEL a/big { quality_score: 0.9 }
PLUGIN short system-prompt { system_prompt: "Be short." enabled: true }
ROUTE r (description = "text", on_unknown = "fail_request") {
  PRIORITY 5
  TIER 2
  WHEN authz("admin") AND NOT (projection("b") OR domain("computer science"))
  MODEL "a/big" (reasoning = true, effort = "high", lora = "l", weight = 0.5, reasoning_description = "why"), small,
  ALGORITHM confidence { threshold: 0.5 }
  algorithm_on_error: "fallback"
  PLUGIN short { mode: "insert" }
  PLUGIN tools { mode: "none" }
  FOR c IN ["x" (effort = "low")] { MODEL c }
  EMIT retention { ttl_turns: 4 }
  output_contract: "As asked."
  annotations: { owner: "me" }
}
TEST t { "question" -> r }
RECIPE other (description = "d", strategy = "priority") {
  SIGNAL pii p {}
  ROUTE q { MODEL "a/big" }
}
"""
    yaml = """
routing:
  strategy: confidence
  modelCards: [{name: a/big, quality_score: 0.9}]
  signals:
    role_bindings: [{name: admin, role: admin, subjects: [{kind: Group, name: admins}]}]
    domains: [{name: computer science, mmlu_categories: [computer science]}]
  projections:
    partitions:
      - {name: p, semantics: softmax_exclusive, temperature: 0.1, members: [computer science], default: computer science}
    scores: [{name: s, method: weighted_sum, inputs: [{type: authz, name: admin, weight: -0.5, miss: 1}]}]
    mappings:
      - name: m
        source: s
        method: threshold_bands
        calibration: {method: sigmoid_distance, slope: 10}
        outputs: [{name: b, gte: 0.5}]
  decisions:
    - name: r
      description: text
      priority: 5
      tier: 2
      rules:
        operator: AND
        on_unknown: fail_request
        conditions:
          - {type: authz, name: admin}
          - operator: NOT
            conditions:
              - operator: OR
                conditions: [{type: projection, name: b}, {type: domain, name: computer science}]
      modelRefs:
        - {model: a/big, use_reasoning: true, reasoning_effort: high, lora_name: l, weight: 0.5, reasoning_description: why}
        - {model: small}
      algorithm: {type: confidence, on_error: fallback, confidence: {threshold: 0.5}}
      plugins:
        - {type: system_prompt, configuration: {system_prompt: Be short., enabled: true, mode: insert}}
        - {type: tools, configuration: {mode: none}}
      candidateIterations:
        - variable: c
          source: models
          models: [{model: x, reasoning_effort: low}]
          outputs: [{type: model, value: c}]
      emits: [{kind: retention, retention: {ttl_turns: 4}}]
      output_contract: As asked.
      annotations: {owner: me}
  tests: [{name: t, cases: [{query: question, route: r}]}]
entrypoints: [{model_names: [auto, vllm-sr/auto], recipe: default}]
recipes:
  - name: other
    description: d
    routing:
      strategy: priority
      signals: {pii: [{name: p}]}
      decisions: [{name: q, modelRefs: [{model: a/big}]}]
"""
    assert read(dsl) == read_recipe(yaml, "yaml")


def test_a_tree_becomes_routes_that_exclude_each_other() -> None:
    """Each branch denies those before it, with upstream's priorities and names."""
    tree = """
SIGNAL pii p {} SIGNAL pii q {}
DECISION_TREE t {
  IF pii("p") { MODEL "a" }
  ELSE IF pii("q") { NAME second MODEL "b" TIER 3 }
  ELSE { MODEL "c" }
}
"""
    routes = """
SIGNAL pii p {} SIGNAL pii q {}
ROUTE t__branch_01 { PRIORITY 1000000 WHEN pii("p") MODEL "a" }
ROUTE second { PRIORITY 999999 TIER 3 WHEN pii("q") AND NOT pii("p") MODEL "b" }
ROUTE t__branch_03 { PRIORITY 999998 WHEN NOT pii("p") AND NOT pii("q") MODEL "c" }
"""
    assert read(tree) == read(routes)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("SIGNAL pie p {}", [("unknown-signal", 1)]),
        ("PROJECTION sum s {}", [("unknown-projection", 1)]),
        ('SIGNAL pii p { name: "q" }', [("duplicate-key", 1)]),
        ("ROUTING { plan: 1 }", [("unknown-key", 1)]),
        ("ROUTE r { PRIORITY 1 PRIORITY 2 }", [("duplicate-key", 1)]),
        ("ROUTE r { ALGORITHM static ALGORITHM static }", [("duplicate-key", 1)]),
        ("ROUTE r { NAME x }", [("not-in-route", 1)]),
        ('ROUTE r { MODEL "m" (reason = true) }', [("unknown-key", 1)]),
        ('ROUTE r { FOR c IN ["m"] { MODEL c (weight = 1) } }', [("not-in-loop", 1)]),
        ("RECIPE r { MODEL m {} }", [("not-in-recipe", 1)]),
        ("RECIPE r { RECIPE q {} }", [("not-in-recipe", 1)]),
        ("ROUTE r {}\nDECISION_TREE t { IF pii(p) { MODEL a } ELSE { MODEL b } }", [("tree-and-routes", 2)]),
        ("DECISION_TREE t { IF pii(p) { MODEL a } }", [("bad-tree", 1)]),
        ("DECISION_TREE t {}", [("bad-tree", 1)]),
        ("DECISION_TREE t { ELSE { MODEL a } IF pii(p) { MODEL b } }", [("bad-tree", 1)]),
        ("DECISION_TREE t { IF pii(p) { TIER 1 } ELSE { MODEL b } }", [("missing", 1)]),
        ("DECISION_TREE t { IF pii(p) { PRIORITY 1 MODEL a } ELSE { MODEL b } }", [("not-in-tree", 1)]),
        (
            "DECISION_TREE t { IF pii(p) { MODEL a } "
            + "ELSE IF pii(p) { MODEL a } " * MAX_BRANCHES
            + "ELSE { MODEL b } }",
            [("too-large", 1)],
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_refusals(text: str, codes: list[tuple[str, int]]) -> None:
    """Statements that can't stand where they are."""
    assert refusals(text) == codes


def test_faults_of_values_have_the_places_of_the_language() -> None:
    """The same eyes that check YAML tell line and column here."""
    with pytest.raises(BadRecipe) as caught:
        read('SIGNAL pii p {\n  threshold: 2\n}\nROUTE r {\n  MODEL "m"\n  ALGORITHM quantum\n}')

    assert [(each.code, each.place and each.place.line) for each in caught.value.problems] == [
        ("out-of-bounds", 2),
        ("unknown-value", 6),
    ]

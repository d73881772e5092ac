"""Values of their kind, within their bounds."""

from __future__ import annotations

import pytest

from daemon.recipes.nodes import node_of
from daemon.recipes.problems import BadRecipe, Problem
from daemon.recipes.shaping import shape
from daemon.recipes.yaml_reader import read_yaml


def refusal(text: str) -> Problem:
    with pytest.raises(BadRecipe) as caught:
        shape(read_yaml(text))
    return caught.value.problems[0]


def rule(family: str, text: str) -> str:
    return f"routing: {{signals: {{{family}: [{{name: n, {text}}}]}}}}"


@pytest.mark.parametrize(
    ("text", "code", "key"),
    [
        ("version: v0.2", "unknown-value", "version"),
        ("routing: 5", "wrong-type", "routing"),
        ("routing: {decisions: {}}", "wrong-type", "routing.decisions"),
        ("routing: {decisions: [5]}", "wrong-type", "routing.decisions[0]"),
        ("routing: {decisions: [~]}", "wrong-type", "routing.decisions[0]"),
        ("routing: {strategy: true}", "wrong-type", "routing.strategy"),
        ("routing: {strategy: [a]}", "wrong-type", "routing.strategy"),
        ("routing: {decisions: [{name: 5}]}", "wrong-type", "routing.decisions[0].name"),
        ("routing: {decisions: [{name: ''}]}", "empty", "routing.decisions[0].name"),
        ("routing: {decisions: [{name: d, priority: 1.5}]}", "wrong-type", "routing.decisions[0].priority"),
        ("routing: {decisions: [{name: d, priority: '1'}]}", "wrong-type", "routing.decisions[0].priority"),
        ("routing: {decisions: [{name: d, priority: true}]}", "wrong-type", "routing.decisions[0].priority"),
        ("routing: {decisions: [{name: d, priority: 9007199254740993}]}", "bad-number", "routing.decisions[0].priority"),
        (f"routing: {{decisions: [{{name: d, priority: {'9' * 5000}}}]}}", "bad-number", "routing.decisions[0].priority"),
        ("routing: {decisions: [{name: d, tier: -1}]}", "out-of-bounds", "routing.decisions[0].tier"),
        (rule("embeddings", "candidates: [a], threshold: .nan"), "bad-number", "routing.signals.embeddings[0].threshold"),
        (rule("embeddings", "candidates: [a], threshold: 1e999"), "bad-number", "routing.signals.embeddings[0].threshold"),
        (rule("embeddings", "candidates: [a], threshold: 1.1"), "out-of-bounds", "routing.signals.embeddings[0].threshold"),
        (rule("embeddings", "threshold: 0.5"), "missing", "routing.signals.embeddings[0].candidates"),
        (rule("keywords", "keywords: [a], method: fuzzy"), "unknown-value", "routing.signals.keywords[0].method"),
        (rule("keywords", "keywords: a"), "wrong-type", "routing.signals.keywords[0].keywords"),
        (rule("keywords", "keywords: []"), "empty", "routing.signals.keywords[0].keywords"),
        (rule("keywords", f"keywords: ['{'x' * 100_001}']"), "too-long", "routing.signals.keywords[0].keywords[0]"),
        ("routing: {decisions: [{name: d, plugins: [{type: tool}]}]}", "unknown-plugin", "routing.decisions[0].plugins[0].type"),
        (
            "routing: {decisions: [{name: d, plugins: [{type: tools, configuration: {mood: none}}]}]}",
            "unknown-key",
            "routing.decisions[0].plugins[0].configuration.mood",
        ),
        (
            "routing: {decisions: [{name: d, rules: {operator: NOT, conditions: []}}]}",
            "bad-condition",
            "routing.decisions[0].rules",
        ),
        (
            "routing: {decisions: [{name: d, rules: {operator: AND, conditions: [{type: Not A Word, name: n}]}}]}",
            "bad-word",
            "routing.decisions[0].rules.conditions[0].type",
        ),
        (
            "routing: {decisions: [{name: d, rules: {operator: NOT, conditions: [{operator: AND, on_unknown: match}]}}]}",
            "misplaced",
            "routing.decisions[0].rules.conditions[0].on_unknown",
        ),
        (
            "routing: {decisions: [{name: d, annotations: {a: [~]}}]}",
            "wrong-type",
            "routing.decisions[0].annotations.a[0]",
        ),
        ("routing: {decisions: [{name: d, algorithm: {type: knn, knn: 5}}]}", "wrong-type", "routing.decisions[0].algorithm.knn"),
        (
            "routing: {decisions: [{name: d, candidateIterations: [{variable: c, source: decision.candidates, models: [{model: m}]}]}]}",
            "misplaced",
            "routing.decisions[0].candidateIterations[0].models",
        ),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_refusals(text: str, code: str, key: str) -> None:
    """Each fault has a name, the key, its line and a remedy."""
    problem = refusal(text)

    assert (problem.code, problem.key) == (code, key)
    assert problem.place
    assert problem.place.line == 1
    assert problem.remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("routing: {decision: []}", "did you mean `decisions`?"),
        (rule("keywords", "keywords: [a], case_sensitiv: true"), "did you mean `case_sensitive`?"),
        (rule("keywords", "keywords: [a], operator: XOR"), "did you mean `OR`?"),
        (rule("keywords", "keywords: [a], method: fuzzy"), "use `method: regex` with `fuzzy_match: true`"),
        ("routing: {decisions: [{name: d, plugins: [{type: tool}]}]}", "did you mean `tools`?"),
        ("routing: {decisions: [{name: d, algorithm: {type: quantum}}]}", "it takes `static`, `confidence`"),
    ],
)
def test_suggestions(text: str, remedy: str) -> None:
    """The remedy names what was probably meant, or what there is."""
    assert refusal(text).remedy.startswith(remedy)


def test_messages_hold_little_of_the_file() -> None:
    """A long value is not repeated whole."""
    assert len(refusal(rule("keywords", f"keywords: [a], method: {'x' * 900}")).message) < 120


def test_nothing_counts_as_absent() -> None:
    """A key without a value is as if it weren't there."""
    made = shape(read_yaml("routing:\n  decisions:\n    - name: d\n      priority:\n      tier: ~\n"))

    assert made.routing.decisions[0].priority == 0


def test_older_spellings_of_plugins() -> None:
    """Upstream still takes them."""
    decision = {"name": "d", "plugins": [{"type": "semantic-cache", "configuration": {"enabled": True}}]}

    made = shape(node_of({"routing": {"decisions": [decision]}}))

    assert made.routing.decisions[0].plugins[0].type == "response_cache"


@pytest.mark.parametrize(
    ("rules", "same"),
    [
        ({"operator": "AND", "conditions": []}, None),
        ({"operator": "AND"}, None),
        ({"type": "pii", "name": "p"}, {"operator": "AND", "conditions": [{"type": "pii", "name": "p"}]}),
        (
            {"operator": "OR", "conditions": [{"type": "pii", "name": "p"}]},
            {"operator": "AND", "conditions": [{"type": "pii", "name": "p"}]},
        ),
        (
            {"operator": "AND", "conditions": [{"operator": "NOT", "conditions": [{"type": "pii", "name": "p"}]}]},
            {"operator": "NOT", "conditions": [{"type": "pii", "name": "p"}]},
        ),
    ],
)
def test_rules_have_one_form(rules: dict[str, object], same: dict[str, object] | None) -> None:
    """Conditions that mean the same are the same, so that recipes can be compared."""

    def made(rules: dict[str, object] | None) -> object:
        return shape(node_of({"routing": {"decisions": [{"name": "d", **({"rules": rules} if rules else {})}]}}))

    assert made(rules) == made(same)


def test_what_is_not_a_number_is_told_as_that() -> None:
    """And not as one that is too large."""
    assert refusal(rule("embeddings", "candidates: [a], threshold: .nan")).message == "this is not a number"
    assert "too large" in refusal(rule("embeddings", "candidates: [a], threshold: .inf")).message

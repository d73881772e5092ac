"""A recipe in the recipe language."""

from __future__ import annotations

from typing import Any, Final

from daemon.recipes.conditions import Branch
from daemon.recipes.dsl_printer import print_statements
from daemon.recipes.dsl_statements import Reference, Statement
from daemon.recipes.model import Decision, Iteration, ModelRef, RecipeFile, Routing
from daemon.recipes.nodes import Node, Scalar, Table, node_of
from daemon.recipes.plain import plain
from daemon.recipes.vocabulary import FAMILIES, MODEL_OPTIONS, PROJECTIONS


def write_dsl(recipe: RecipeFile) -> str:
    """The file's text; what belongs to machines is left out."""
    statements = _routing(recipe.routing)
    statements += [Statement(keyword="ENTRYPOINT", block=_table(plain(each))) for each in recipe.entrypoints]
    for named in recipe.recipes:
        options = Table()
        if named.description:
            options.set("description", Scalar(named.description))
        body = _routing(named.routing)
        statements.append(Statement(keyword="RECIPE", words=(named.name,), options=options, body=tuple(body)))
    return print_statements(tuple(statements))


def _table(found: Any) -> Table:
    made = node_of(found)
    assert isinstance(made, Table)
    return made


def _routing(routing: Routing) -> list[Statement]:
    statements = []
    if routing.strategy != "priority":
        statements.append(Statement(keyword="ROUTING", block=_table({"strategy": routing.strategy})))
    for word, section in FAMILIES.items():
        statements += [_rule("SIGNAL", word, each) for each in getattr(routing.signals, section)]
    for word, section in PROJECTIONS.items():
        statements += [_rule("PROJECTION", word, each) for each in getattr(routing.projections, section)]
    for card in routing.model_cards:
        found = plain(card)
        statements.append(Statement(keyword="MODEL", words=(found.pop("name"),), block=_table(found)))
    statements += [_route(decision) for decision in routing.decisions]
    for test in routing.tests:
        cases = [Statement(keyword="->", value=Scalar(case.query), words=(case.route,)) for case in test.cases]
        statements.append(Statement(keyword="TEST", words=(test.name,), body=tuple(cases)))
    return statements


def _rule(keyword: str, word: str, rule: Any) -> Statement:
    found = plain(rule)
    return Statement(keyword=keyword, words=(word, found.pop("name")), block=_table(found))


def _route(decision: Decision) -> Statement:
    options = Table()
    if decision.description:
        options.set("description", Scalar(decision.description))
    if decision.rules and decision.rules.on_unknown:
        options.set("on_unknown", Scalar(decision.rules.on_unknown))
    body = [
        Statement(keyword=word, value=Scalar(number))
        for word, number in (("PRIORITY", decision.priority), ("TIER", decision.tier))
        if number
    ]
    if decision.rules:
        body.append(Statement(keyword="WHEN", condition=_condition(decision.rules)))
    if decision.model_refs:
        body.append(Statement(keyword="MODEL", references=tuple(_reference(each) for each in decision.model_refs)))
    body += [_loop(each) for each in decision.iterations]
    if decision.algorithm:
        body += _algorithm(plain(decision.algorithm))
    for plugin in decision.plugins:
        found = plain(plugin)
        block = _table(found["configuration"]) if "configuration" in found else None
        body.append(Statement(keyword="PLUGIN", words=(plugin.type,), block=block))
    for emit in decision.emits:
        found = plain(emit)
        body.append(Statement(keyword="EMIT", words=(emit.kind,), block=_table(found.get(emit.kind, {}))))
    found = plain(decision)
    body += [
        Statement(keyword=":", words=(key,), value=node_of(found[key]))
        for key in ("adaptations", "output_contract", "output_contract_spec", "annotations")
        if key in found
    ]
    return Statement(keyword="ROUTE", words=(decision.name,), options=options, body=tuple(body))


def _condition(rules: Branch) -> Node:
    """Without what stands in the route's own options, and without the AND around a single leaf."""
    if rules.operator == "AND" and len(rules.conditions) == 1:
        return node_of(plain(rules.conditions[0]))
    found = plain(rules)
    found.pop("on_unknown", None)
    return node_of(found)


_WORDS: Final = {key: word for word, key in MODEL_OPTIONS.items()}


def _reference(reference: ModelRef) -> Reference:
    found = plain(reference)
    name = found.pop("model")
    return Reference(name=name, options=_table({_WORDS[key]: value for key, value in found.items()}))


def _loop(loop: Iteration) -> Statement:
    body = tuple(Statement(keyword="MODEL", references=(Reference(name=each.value),)) for each in loop.outputs)
    return Statement(
        keyword="FOR",
        words=(loop.variable, loop.source),
        listed=tuple(_reference(each) for each in loop.models),
        body=body,
    )


def _algorithm(found: dict[str, Any]) -> list[Statement]:
    kind = found["type"]
    block = _table(found[kind]) if kind in found else None
    statements = [Statement(keyword="ALGORITHM", words=(kind,), block=block)]
    if "on_error" in found:
        statements.append(Statement(keyword=":", words=("algorithm_on_error",), value=Scalar(found["on_error"])))
    return statements

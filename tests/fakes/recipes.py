"""Recipes made at random, from the types that declare them: every family, plugin and algorithm, and any text."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from msgspec import NODEFAULT, Meta, Struct

from daemon.recipes.algorithms import Algorithm
from daemon.recipes.conditions import Branch, Condition, Leaf, canonical
from daemon.recipes.model import Decision, Iteration, ModelRef, Recipe, RecipeFile, Routing
from daemon.recipes.plugins import PLUGINS, Plugin
from daemon.recipes.shaping import _hints

WORDS = st.one_of(
    st.sampled_from(
        ["local_only", "a/b-c.d", "no", "on", "12", "1e5", "0o17", "~", "true", "ROUTE", "café", "안녕", "x y"]
    ),
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12),
)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
PLAIN = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**53), 2**53), NUMBERS, WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=6,
)
IDENTIFIERS = st.sampled_from(["keyword", "pii", "my_signal", "x"])
LEAVES = st.builds(
    Leaf, type=IDENTIFIERS, name=WORDS, label=st.none() | WORDS, on_error=st.sampled_from([None, "match"])
)


def _branches(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Branch, operator=st.sampled_from(["AND", "OR"]), conditions=several),
        st.builds(Branch, operator=st.just("NOT"), conditions=inner.map(lambda each: (each,))),
    )


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(LEAVES, _branches, max_leaves=8)


def _rules() -> st.SearchStrategy[Branch | None]:
    def made(condition: Condition | None, on_unknown: Any) -> Branch | None:
        branch = canonical(condition)
        if branch is None or on_unknown is None:
            return branch
        return Branch(operator=branch.operator, conditions=branch.conditions, on_unknown=on_unknown)

    return st.builds(made, st.none() | CONDITIONS, st.sampled_from([None, "no_match", "match", "fail_request"]))


def of(hint: Any, limits: Meta | None = None) -> st.SearchStrategy[Any]:
    """Values of a type, within its bounds."""
    origin = get_origin(hint)
    if origin is Annotated:
        base, *notes = get_args(hint)
        if base is object:
            return st.dictionaries(WORDS, PLAIN, max_size=3) if "table" in notes else PLAIN
        return of(base, next((note for note in notes if isinstance(note, Meta)), None))
    if origin in (Union, UnionType):
        options = get_args(hint)
        if Leaf in options:
            return st.none() | CONDITIONS if NoneType in options else CONDITIONS
        return st.one_of(*(of(option) for option in options))
    if origin is tuple:
        least = (limits.min_length if limits else 0) or 0
        return st.lists(of(get_args(hint)[0]), min_size=least, max_size=least + 1).map(tuple)
    if origin is Literal:
        return st.sampled_from(get_args(hint))
    if hint is NoneType:
        return st.none()
    if hint is str:
        return IDENTIFIERS if limits and limits.pattern else WORDS
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(int(limits.ge or 0) if limits else -(2**53), int((limits and limits.le) or 9))
    if hint is float:
        low = 0.001 if limits and limits.gt is not None else limits.ge if limits and limits.ge is not None else -1e6
        return st.floats(low, limits.le if limits and limits.le is not None else 1e6)
    return struct(hint)


def struct(kind: type[Struct], **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A part of a recipe; fields that may be left out often are."""
    if kind is Plugin:
        return st.one_of(
            *(
                st.builds(Plugin, type=st.just(name), configuration=st.none() | struct(shape))
                for name, shape in PLUGINS.items()
            )
        )
    if kind is Algorithm:
        return st.one_of(*(_algorithm(name) for name in get_args(_hints(Algorithm)["type"][1])))
    if kind is Decision:
        given.setdefault("rules", _rules())
    if kind is Iteration:
        listed = struct(ModelRef)
        given["models"] = st.lists(listed, max_size=2).map(tuple)
        given["source"] = st.just("models")
    fields = {}
    for field, hint in _hints(kind).values():
        if field.name in given:
            fields[field.name] = given[field.name]
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            fields[field.name] = of(hint)
        else:
            absent = field.default if field.default is not NODEFAULT else field.default_factory()  # type: ignore[operator]
            fields[field.name] = st.just(absent) | of(hint)
    return st.builds(kind, **fields)


def _algorithm(name: str) -> st.SearchStrategy[Any]:
    options = st.none() | of(_hints(Algorithm)[name][1])
    on_error = st.sampled_from([None, "skip", "fail", "fallback"])
    return st.builds(
        lambda options, on_error: Algorithm(type=name, on_error=on_error, **{name: options}), options, on_error
    )


def files(machine: bool) -> st.SearchStrategy[RecipeFile]:
    """Whole files. machine: with sections that only YAML can hold."""
    section = st.none() | st.dictionaries(WORDS, PLAIN, max_size=2) if machine else st.none()
    nested = struct(Routing, model_cards=st.just(()))
    return struct(
        RecipeFile,
        routing=struct(Routing),
        recipes=st.lists(struct(Recipe, routing=nested), max_size=1).map(tuple),
        listeners=section,
        providers=section,
        global_=section,
        evaluation=section,
    )

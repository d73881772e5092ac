"""Conditions with three truths."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.decision.ordering import Measure
from daemon.decision.seen import FALSE, TRUE, UNKNOWN, Seen
from daemon.decision.slots import Slots, check_of, gauge_of
from daemon.recipes.conditions import Branch, Condition, Leaf
from daemon.recipes.values import Bounds
from daemon.signals.base import Kind, Observation

NAMES = ("a", "b", "c", "d")
LEAVES = st.sampled_from(NAMES).map(lambda name: Leaf(type="keyword", name=name))
CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(Branch, operator=st.just("NOT"), conditions=st.tuples(inner))
        | st.builds(Branch, operator=st.sampled_from(["AND", "OR"]), conditions=st.lists(inner, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=8,
)  # fmt: skip


def holds(condition: Condition, true: dict[str, bool]) -> bool:
    """As two-valued logic has it: written a second time, and plainly."""
    if isinstance(condition, Leaf):
        return true[condition.name]
    parts = [holds(each, true) for each in condition.conditions]
    match condition.operator:
        case "AND":
            return all(parts)
        case "OR":
            return any(parts)
        case "NOT":
            return not parts[0]


def leaf(name: str, type: str = "domain") -> Leaf:
    return Leaf(type=type, name=name)


def joined(operator: str, *conditions: Condition) -> Branch:
    return Branch(operator=operator, conditions=conditions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("operator", "truths", "expected"),
    [
        ("AND", (TRUE, TRUE), TRUE),
        ("AND", (TRUE, UNKNOWN), UNKNOWN),
        ("AND", (FALSE, UNKNOWN), FALSE),
        ("AND", (UNKNOWN, UNKNOWN), UNKNOWN),
        ("OR", (FALSE, FALSE), FALSE),
        ("OR", (FALSE, UNKNOWN), UNKNOWN),
        ("OR", (TRUE, UNKNOWN), TRUE),
        ("NOT", (TRUE,), FALSE),
        ("NOT", (FALSE,), TRUE),
        ("NOT", (UNKNOWN,), UNKNOWN),
    ],
)
def test_kleenes_tables(operator: str, truths: tuple[int, ...], expected: int) -> None:
    """What is known decides where it can; otherwise nothing is known."""
    slots = Slots()
    check = check_of(joined(operator, *(leaf(name) for name in NAMES[: len(truths)])), slots)

    assert check(list(truths)) == expected


@given(CONDITIONS, st.lists(st.sampled_from([TRUE, UNKNOWN, FALSE]), min_size=4, max_size=4))
def test_what_is_said_holds_whatever_is_still_unknown(condition: Condition, known: list[int]) -> None:
    """A truth that is told is the truth of every way in which the unknown can turn out; with all known it is told."""
    slots = Slots()
    check = check_of(condition, slots)
    truths = [known[NAMES.index(name)] for _, name in slots.keys]

    said = check(truths)

    options = [[truth > 0] if truth else [True, False] for truth in known]
    outcomes = {holds(condition, dict(zip(NAMES, case, strict=True))) for case in product(*options)}
    if said != UNKNOWN:
        assert outcomes == {said == TRUE}
    assert said != UNKNOWN or UNKNOWN in truths


def seen(*observations: tuple[str, str, str | None, float], looked: str = "") -> Seen:
    return Seen(
        [
            Observation(signal=signal, kind=Kind.ROUTE, name=name, label=label, score=score, value=score)
            for signal, name, label, score in observations
        ],
        frozenset(looked.split()),
    )


@pytest.mark.parametrize(
    ("condition", "request_", "expected"),
    [
        (Leaf(type="classifier", name="r", label="BAD", predicate=Bounds(gte=0.5)), seen(("classifier", "r", "BAD", 0.6), looked="classifier"), TRUE),
        (Leaf(type="classifier", name="r", label="BAD", predicate=Bounds(gte=0.7)), seen(("classifier", "r", "BAD", 0.6), looked="classifier"), FALSE),
        (Leaf(type="classifier", name="r", label="GOOD", predicate=Bounds(lt=0.5)), seen(("classifier", "r", "BAD", 0.6), looked="classifier"), TRUE),
        (Leaf(type="classifier", name="r", label="BAD", predicate=Bounds(gte=0.5)), seen(), UNKNOWN),
        (Leaf(type="classifier", name="r", label="BAD", predicate=Bounds(gte=0.5), on_error="match"), seen(), TRUE),
        (Leaf(type="classifier", name="r", label="BAD", predicate=Bounds(gte=0.5), on_error="no_match"), seen(), FALSE),
        (Leaf(type="structure", name="s", predicate=Bounds(gt=2)), seen(("structure", "s", None, 3.0), looked="structure"), TRUE),
        (Leaf(type="complexity", name="c", label="hard"), seen(("complexity", "c", "hard", 0.3), looked="complexity"), TRUE),
        (Leaf(type="complexity", name="c", label="easy"), seen(("complexity", "c", "hard", 0.3), looked="complexity"), FALSE),
    ],
)  # fmt: skip
def test_leaves_that_test(condition: Leaf, request_: Seen, expected: int) -> None:
    """A leaf may test a label's score, or a number, and may say itself what it counts as if nobody looked."""
    slots = Slots()
    check = check_of(condition, slots)
    truths, _ = slots.truths(request_)

    assert check(truths) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (joined("AND", leaf("a"), leaf("b")), Measure("domain", 0.6)),  # the weakest part
        (joined("OR", leaf("a"), leaf("b")), Measure("domain", 0.9)),  # the strongest
        (joined("OR", leaf("b"), leaf("gone")), Measure("domain", 0.6)),  # of those that hold
        (joined("AND", leaf("a"), leaf("k", "keyword")), Measure("domain", 0.9)),  # a keyword measures nothing
        (joined("AND", leaf("k", "keyword")), None),
        (joined("AND", leaf("a"), joined("NOT", leaf("gone"))), Measure("domain", 0.9)),  # nor does an absence
        (joined("AND", leaf("a"), leaf("e", "embedding")), None),  # two scales are none
        (joined("AND", joined("AND", leaf("a"), leaf("e", "embedding")), leaf("b")), None),  # however deep
        (joined("AND", joined("OR", leaf("e", "embedding"), leaf("k", "keyword")), joined("OR", leaf("k", "keyword"))), Measure("embedding", 0.8)),
    ],
)  # fmt: skip
def test_measures(condition: Condition, expected: Measure | None) -> None:
    """How sure a condition is: on one scale, from what was measured, and never less for a NOT or a keyword beside it."""
    request = seen(
        ("domain", "a", None, 0.9),
        ("domain", "b", None, 0.6),
        ("embedding", "e", None, 0.8),
        ("keyword", "k", None, 0.75),
        looked="domain embedding keyword",
    )
    slots = Slots()
    gauge = gauge_of(condition, slots)
    truths, scores = slots.truths(request)

    assert gauge(truths, scores) == expected


def test_a_rule_that_could_not_look_is_unknown_alone() -> None:
    """With its labels; `on_error` of a condition still says what that counts as."""
    slots = Slots()
    plain, level, other = (slots.number("jailbreak", name) for name in ("attack", "attack:harm", "other"))
    tested = slots.of_leaf(Leaf(type="jailbreak", name="attack", on_error="match"))
    broken = Observation(signal="jailbreak", kind=Kind.ROUTE, name="attack", error="NoModel", only=True)
    truths, scores = slots.truths(Seen([broken], frozenset({"jailbreak"})))

    assert [truths[number] for number in (plain, level, other, tested)] == [UNKNOWN, UNKNOWN, FALSE, TRUE]
    assert scores == {}

"""Who could be guessed, by how many kinds of facts come together."""

from __future__ import annotations

import pytest

from daemon.signals.implicit.identity import ImplicitIdentity, told_of
from tests.fakes.implicit import CASES, HARMLESS


def test_requests_that_point_at_somebody_are_seen() -> None:
    """Of our own cases, written for this: 62 of 64."""
    assert sum(bool(told_of(case.text)) for case in CASES) >= 62


def test_requests_that_point_at_nobody_are_not() -> None:
    """Of 30 ordinary ones at most two are seen."""
    assert sum(bool(told_of(text)) for text in HARMLESS) <= 2


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Draft a note to my boss.", False),
        ("Draft a note to my boss in Tucson.", True),
        ("Draft a note to the only surgeon.", True),
        ("Draft a note to the only surgeon in Tucson.", True),
        ("Who is the only surgeon in Tucson?", False),
        ("I was fired in 2020 in Oslo.", True),
        ("I was fired.", False),
        ("Who was the first woman who flew over Oslo?", False),
        ("What taxes apply to a player who moved to Oslo?", True),
        ("Tell the accordion teacher who was adopted that we are sorry.", True),
        ("How do I pair our only falconry trainer?", True),
        ("Write a plan for a runner who wants to finish.", False),
    ],
)
def test_a_fact_alone_is_nobodys(text: str, seen: bool) -> None:
    """One kind that sets a person apart, two others, three beside oneself; a question about the world points at nobody."""
    assert bool(told_of(text)) is seen


def test_facts_are_taken_together_over_two_sentences() -> None:
    """But not over three."""
    assert told_of("I met a surgeon. It was in Tucson in 2019.")
    assert not told_of("I met a surgeon. We ate. It was in Tucson in 2019.")


def test_places_are_in_order_and_apart() -> None:
    """Each hit lies in its text, and none on another."""
    rule = ImplicitIdentity()
    for case in CASES:
        found = rule.find(case.text)
        assert all(one.end <= other.start for one, other in zip(found, found[1:]))  # noqa: B905, RUF007
        assert all(0 <= one.start < one.end <= len(case.text) for one in found)

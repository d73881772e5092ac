"""The end of a looper of several."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate, Way
from daemon.loopers.base import Errand
from daemon.loopers.finishing import best_of, finished
from daemon.loopers.gathering import Answer
from daemon.recipes.algorithms import Algorithm
from providers.contract import Text, TextDelta, Unreachable
from tests.fakes.panel import Panel

A = Candidate("local", "a")
ERRAND = Errand("synthesis", "synthesis", "Write.")


def answer(text: str) -> Answer:
    return Answer(Candidate("local", "b"), Errand("panel-0", "panel"), (Text(text),), "stop")


def test_the_best_is_what_most_say() -> None:
    """Where they can't be compared, or all say something else, it is the writer's own, else the first: not the longest."""
    long = "Many words of which nobody can tell whether they say the same as other words."
    own = Answer(A, Errand("panel-1", "panel"), (Text("20"),), "stop")

    assert best_of([answer(long), answer("18"), answer("18.0")]).text == "18"
    assert best_of([answer("18"), answer("18"), own, own], A).text == "20"
    assert best_of([answer("18"), answer(long), answer("19")]).text == "18"
    assert best_of([answer("18"), answer(long), own], A).text == "20"


async def test_a_writer_that_fails() -> None:
    """The best of what there is takes its place, and the record says so."""
    ask = Panel({"a": Unreachable("away")})

    out = [delta async for delta in finished(Way(Algorithm(type="fusion")), A, ERRAND, [answer("18")], ask)]

    assert out[0] == TextDelta("18")
    assert (ask.notes, ask.winner) == (["synthesis-failed"], "b")


async def test_a_form_is_kept_by_who_takes_its_place() -> None:
    """Also then the answer has the form that is wanted."""
    ask = Panel({"a": Unreachable("away"), "b repair": Unreachable("away")})
    way = Way(Algorithm(type="fusion"), said="End with ANSWER: X")

    out = [delta async for delta in finished(way, A, ERRAND, [answer("So 18.\nANSWER: 18")], ask)]

    assert out[0] == TextDelta("So 18.\nANSWER: 18")


async def test_a_bug_is_told() -> None:
    """What nobody planned for is not covered up."""
    with pytest.raises(RuntimeError):
        async for _ in finished(Way(Algorithm(type="fusion")), A, ERRAND, [answer("18")], Panel({"a": RuntimeError()})):
            pass

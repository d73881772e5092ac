"""This machine answers where a panel finds nobody who may be asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.decision.rules import Candidate, Decision
from daemon.errors import Private, SpendingLimit
from daemon.loopers.base import Ask
from daemon.loopers.registry import LOOPERS
from daemon.loopers.way_back import NOTE, SPENT, or_here
from daemon.recipes.algorithms import Algorithm, Fusion, Ratings, Remom, Workflows, WorkRole
from providers.contract import Deltas, Progress, Text, TextDelta, Unreachable, fold
from tests.fakes.panel import Panel, Say, decision

STAYS = Private("it stays")
POOR = SpendingLimit("all_day_usd", "all of it is spent", 60.0)
HERE = Candidate("local", "here")
ROLES = (WorkRole(name="think", models=("a",)), WorkRole(name="check", models=("b",)))
WAYS = [
    Algorithm(type="ratings", ratings=Ratings(on_error="fail")),
    Algorithm(type="fusion", fusion=Fusion()),
    Algorithm(type="remom", remom=Remom(breadth_schedule=(2,))),
    Algorithm(type="workflows", workflows=Workflows(roles=ROLES)),
]


async def said(ask: Panel, decided: Decision) -> str:
    answer = await fold(or_here(LOOPERS[decided.looper], decided, ask))
    return "".join(part.text for part in answer.choices[0].parts if isinstance(part, Text))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.type)
async def test_nobody_may_be_asked(way: Algorithm) -> None:
    """Its own model answers the client's question, and the record says so; without a way back the reason is the error."""
    ask = Panel({"a": STAYS, "b": STAYS, "here": "mine"})
    decided = decision(way, ("a", "b"))

    assert await said(ask, replace(decided, way_back=HERE)) == "mine"
    assert ask.asked[-1] == ("here", None)
    assert NOTE in ask.notes
    with pytest.raises(Private):
        await said(ask, decided)


@pytest.mark.parametrize(
    "play", ["fine", Unreachable("away")], ids=["who may be asked answers", "who may be asked is away"]
)
async def test_others_are_left(play: Say) -> None:
    """Whoever is left answers; if that one fails, this machine stands in, since the others may not."""
    ask = Panel({"a": STAYS, "b": play, "here": "mine"})

    wanted = "fine" if play == "fine" else "mine"
    assert await said(ask, replace(decision(WAYS[1], ("a", "b")), way_back=HERE)) == wanted


async def test_a_failure_is_no_way_back() -> None:
    """Only that nobody may be asked is one."""
    ask = Panel({"a": Unreachable("away"), "b": Unreachable("away"), "here": "mine"})

    with pytest.raises(Unreachable):
        await said(ask, replace(decision(WAYS[0], ("a", "b")), way_back=HERE))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.type)
async def test_what_may_be_spent_is_spent_meanwhile(way: Algorithm) -> None:
    """This machine's model answers, and the record says that it was for money; without one the limit is the error."""
    ask = Panel({"a": POOR, "b": POOR, "here": "mine"})
    decided = decision(way, ("a", "b"))

    assert await said(ask, replace(decided, if_spent=HERE)) == "mine"
    assert ask.asked[-1] == ("here", None)
    assert (SPENT in ask.notes, NOTE in ask.notes) == (True, False)
    with pytest.raises(SpendingLimit):
        await said(ask, decided)


async def test_each_reason_has_its_own_way_back() -> None:
    """Who may not be paid for is no reason to ask who stands in for what may not leave, nor the other way round."""
    decided = decision(WAYS[1], ("a", "b"))

    with pytest.raises(SpendingLimit):
        await said(Panel({"a": POOR, "b": POOR, "here": "mine"}), replace(decided, way_back=HERE))
    with pytest.raises(Private):
        await said(Panel({"a": STAYS, "b": STAYS, "here": "mine"}), replace(decided, if_spent=HERE))


@pytest.mark.parametrize("problem", [POOR, STAYS], ids=["spent", "stays"])
async def test_an_answer_that_began_is_not_begun_anew(problem: Exception) -> None:
    """The client has read its first words already: no other model's follow them."""

    async def stops(decided: Decision, ask: Ask) -> Deltas:
        yield TextDelta("half of ")
        raise problem

    ask = Panel({"here": "mine"})
    decided = replace(decision(WAYS[1], ("a", "b")), way_back=HERE, if_spent=HERE)

    with pytest.raises(type(problem)):
        await fold(or_here(stops, decided, ask))
    assert ask.asked == []
    assert ask.notes == []


@pytest.mark.parametrize(("problem", "note"), [(POOR, SPENT), (STAYS, NOTE)], ids=["spent", "stays"])
async def test_progress_is_no_answer(problem: Exception, note: str) -> None:
    """Told how far a panel is, the client has read nothing yet."""

    async def looks(decided: Decision, ask: Ask) -> Deltas:
        yield Progress("a")
        raise problem

    ask = Panel({"here": "mine"})
    decided = replace(decision(WAYS[1], ("a", "b")), way_back=HERE, if_spent=HERE)
    answer = await fold(or_here(looks, decided, ask))

    assert [part.text for part in answer.choices[0].parts if isinstance(part, Text)] == ["mine"]
    assert ask.notes == [note]

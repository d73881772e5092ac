"""This machine answers where a panel finds nobody who may be asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.decision.rules import Candidate, Decision
from daemon.errors import Private
from daemon.loopers.registry import LOOPERS
from daemon.loopers.way_back import NOTE, or_here
from daemon.recipes.algorithms import Algorithm, Fusion, Ratings, Remom, Workflows, WorkRole
from providers.contract import Text, Unreachable, fold
from tests.fakes.panel import Panel, Say, decision

STAYS = Private("it stays")
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

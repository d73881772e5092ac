"""Several asked side by side."""

from __future__ import annotations

import asyncio

import pytest

from daemon.decision.rules import Candidate
from daemon.errors import NoCandidate, Private
from daemon.loopers.base import Errand
from daemon.loopers.gathering import Answer, Round, answered, deltas_of, gather, said
from providers.contract import (
    Finish,
    NoAnswer,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Unreachable,
    Usage,
)
from tests.fakes.panel import Panel


def asked(models: str) -> list[tuple[Candidate, Errand]]:
    return [(Candidate("local", model), Errand(f"panel-{place}", "panel")) for place, model in enumerate(models)]


async def test_answers_come_in_the_order_of_asking() -> None:
    """Whoever is first, and whatever kept the others."""
    came = await gather(Panel({"a": "one", "b": Unreachable("away"), "c": "three"}), asked("abc"))

    assert [answer.text for answer in came.answers] == ["one", "three"]
    assert isinstance(came.failure, Unreachable)
    assert came.asked == {"panel-0", "panel-1", "panel-2"}


async def test_who_may_not_be_asked_is_left_out() -> None:
    """The quorum is of the others, also where too few are an end; of nobody it is, and the error says why."""
    stays = Private("it stays")
    ask = Panel({"a": "one", "b": stays, "c": Unreachable("away"), "d": stays})

    came = await gather(ask, asked("abd"))
    came.need(3, ask, fail=True)
    assert ask.notes == ["left-out"]
    with pytest.raises(Private):
        (await gather(ask, asked("cb"))).need(1, ask, fail=False)


async def test_a_round_has_its_time() -> None:
    """Who is silent when it is over is ended, and the others count."""
    ask = Panel({"a": "one", "b": None})

    came = await gather(ask, asked("ab"), timeout_s=0.05)

    assert [answer.text for answer in came.answers] == ["one"]
    assert isinstance(came.failure, Unreachable)
    assert (ask.running, ask.notes) == (0, ["round-timed-out"])


async def test_blanks_are_no_answer() -> None:
    """An answer without words and calls is a failure."""
    with pytest.raises(NoAnswer):
        await answered(Panel({"a": "  \n"}), *asked("a")[0])


async def test_a_bug_is_no_failure_of_one() -> None:
    """What nobody planned for is raised as it is, and ends the others."""
    bug = RuntimeError("bug")
    ask = Panel({"a": bug, "b": None})

    with pytest.raises(RuntimeError) as caught:
        await gather(ask, asked("ab"))

    assert caught.value is bug
    await asyncio.sleep(0)
    assert ask.running == 0


async def test_the_quorum() -> None:
    """Nobody is always an end; too few are one if the recipe says so, else they are noted."""
    ask, answer = Panel({}), Answer(Candidate("local", "a"), Errand("p", "panel"), (Text("x"),), "stop")
    few = Round((answer,), asked=frozenset({"p", "q"}))

    few.need(1, ask, fail=True)
    assert ask.notes == []
    few.need(2, ask, fail=False)
    assert ask.notes == ["below-quorum"]
    with pytest.raises(NoCandidate):
        few.need(2, ask, fail=True)
    with pytest.raises(Unreachable):
        Round((), Unreachable("away")).need(1, ask, fail=False)


async def test_what_is_released_is_what_was_said() -> None:
    """All parts in their order, then one end with what all calls took."""
    parts = (Thought("hm", "sig"), Text("Look:"), ToolCall("1", "look", "{}"), ToolCall("2", "see", "{}"))
    ask = Panel({})

    out = [
        delta async for delta in said(Answer(Candidate("local", "a"), Errand("p", "panel"), parts, "tool_calls"), ask)
    ]

    assert out == [
        ThoughtDelta("hm", "sig"),
        TextDelta("Look:"),
        ToolCallDelta(0, "1", "look", "{}"),
        ToolCallDelta(1, "2", "see", "{}"),
        Finish("tool_calls", Usage(0, 0)),
    ]
    assert deltas_of(parts) == out[:-1]
    assert ask.winner == "a"

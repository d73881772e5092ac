"""What every looper has to do with the deltas of whom it asks."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from daemon.decision.rules import Candidate, Decision
from daemon.errors import NoCandidate
from daemon.loopers.base import Errand
from daemon.loopers.registry import LOOPERS
from providers.contract import (
    BadAnswer,
    ContextTooLong,
    Delta,
    Deltas,
    Finish,
    Progress,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)

FIRST, SECOND = Candidate("local", "first"), Candidate("local", "second")
DELTAS: list[Delta] = [
    Progress("loading", 0.5),
    ThoughtDelta("hm", "sig"),
    TextDelta("one"),
    TextDelta(""),
    TextDelta(" two", choice=0),
    ToolCallDelta(0, "c1", "look", "{}"),
    Finish("stop", Usage(1, 2)),
]

every = pytest.mark.parametrize("name", sorted(LOOPERS.keys() - {"fast_response"}))
"""Without the one that asks nobody."""


class Asked:
    """Candidates that say what the test wants, and remember how they were treated."""

    def __init__(self, deltas: list[Delta], error: Exception | None = None, hang: bool = False) -> None:
        self.asked: list[Candidate] = []
        self.closed = 0
        self._deltas, self._error, self._hang = deltas, error, hang

    async def ask(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        self.asked.append(candidate)
        try:
            for delta in self._deltas:
                yield delta
            if self._hang:
                await asyncio.Event().wait()
            if self._error:
                raise self._error
        finally:
            self.closed += 1


async def listen(deltas: Deltas, heard: list[Delta]) -> None:
    """Put into `heard` what comes, also if it ends with an error."""
    async for delta in deltas:
        heard.append(delta)  # a comprehension would lose what came before an error


def decision(name: str, *candidates: Candidate) -> Decision:
    return Decision("a-rule", name, candidates or (FIRST,))


@every
async def test_the_deltas_of_a_sole_candidate_pass_unchanged(name: str) -> None:
    """With one candidate, what it says is the answer, delta by delta and in order."""
    world = Asked(DELTAS)

    heard = [delta async for delta in LOOPERS[name](decision(name), world.ask)]

    assert heard == DELTAS
    assert FIRST in world.asked
    assert world.closed == len(world.asked)


@every
async def test_the_first_candidate_is_asked_first(name: str) -> None:
    """The order of the decision is the order of asking."""
    world = Asked(DELTAS)

    async with aclosing(LOOPERS[name](decision(name, FIRST, SECOND), world.ask)) as deltas:
        await anext(deltas)

    assert world.asked[0] == FIRST


@every
async def test_nothing_is_asked_before_somebody_reads(name: str) -> None:
    """A looper that nobody reads asks nobody."""
    world = Asked(DELTAS)

    await LOOPERS[name](decision(name), world.ask).aclose()

    assert world.asked == []


@every
@pytest.mark.parametrize("read", range(1, len(DELTAS)))
async def test_closing_the_looper_closes_the_deltas(name: str, read: int) -> None:
    """Who stops reading stops everybody who was asked, wherever the answer was."""
    world = Asked(DELTAS)
    deltas = LOOPERS[name](decision(name), world.ask)
    for _ in range(read):
        await anext(deltas)

    await deltas.aclose()

    assert world.closed == len(world.asked) > 0


@every
async def test_cancelling_the_reader_closes_the_deltas(name: str) -> None:
    """A reader that is cancelled while a candidate is silent frees the candidate at once."""
    world = Asked([TextDelta("x")], hang=True)

    async def read() -> None:
        async with aclosing(LOOPERS[name](decision(name), world.ask)) as deltas:
            async for _ in deltas:
                pass

    reading = asyncio.create_task(read())
    while not world.asked:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    reading.cancel()

    with pytest.raises(asyncio.CancelledError):
        await reading
    assert world.closed == len(world.asked)


@every
@pytest.mark.parametrize("error", [BadAnswer("broke"), ContextTooLong(5, 4), NoCandidate("none"), RuntimeError("bug")])
@pytest.mark.parametrize("said", [0, 3])
async def test_an_error_of_the_only_candidate_passes_through(name: str, error: Exception, said: int) -> None:
    """If nobody else can answer, the very error is raised, behind what was said before it."""
    world = Asked(DELTAS[:said], error)
    heard: list[Delta] = []

    with pytest.raises(type(error)) as caught:
        await listen(LOOPERS[name](decision(name), world.ask), heard)

    assert caught.value is error
    assert heard == DELTAS[:said]
    assert world.closed == len(world.asked)

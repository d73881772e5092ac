"""A recorded provider says what was said, and nothing new."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from daemon.confidence.features import Generation
from daemon.confidence.judgement import Sought
from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from daemon.replaying.recorded_ask import RecordedAsk
from daemon.replaying.recordings import Item, Recorded
from providers.contract import BadAnswer, Text, TextDelta, fold

ITEM = Item("2 + 2?", {"a": Recorded("four", True)})
A = Candidate("recorded", "a")


async def test_what_was_said() -> None:
    """For the question itself and for a panel's."""
    ask = RecordedAsk(ITEM)

    for errand in (None, Errand("panel-0", "panel"), Errand("s", "step", "Work.")):
        assert (await fold(ask(A, errand))).choices[0].parts == (Text("four"),)
    assert (ask.calls, ask.winner) == (3, "a")


@pytest.mark.parametrize("role", ["judge", "synthesis", "planner", "repair"])
async def test_no_new_words(role: str) -> None:
    """Who would have to say something new fails, and is counted."""
    ask = RecordedAsk(ITEM)

    with pytest.raises(BadAnswer):
        await fold(ask(A, Errand("x", role, "Do.", own=True)))  # type: ignore[arg-type]
    assert (ask.calls, ask.winner) == (1, None)


@pytest.mark.parametrize(("sure", "kept"), [(0.7, True), (0.5, True), (0.4, False), (0.0, False)])
async def test_sureness_in_place_of_log_probabilities(sure: float, kept: bool) -> None:
    """The live judgement reads it from the draft, and is told who answered before."""
    before: list[str] = []

    def sureness(item: Item, model: str, asked: Sequence[str]) -> float:
        before[:] = asked
        return sure

    ask = RecordedAsk(ITEM, sureness)
    candidate = Candidate("recorded", "a", threshold=0.49)
    for _ in range(2):
        (delta, _) = [each async for each in ask(candidate)]
    assert isinstance(delta, TextDelta)

    judged = ask.judge(candidate, Sought(), Generation(delta.logprobs, delta.text, reason="stop"))

    assert judged is not None
    assert judged.score == pytest.approx(sure, abs=1e-6)
    assert judged.passed is kept
    assert before == ["a"]
    assert ask.asked == ["a", "a"]


async def test_without_sureness() -> None:
    """There is nothing to judge by."""
    ask = RecordedAsk(ITEM)
    [delta, _] = [each async for each in ask(A)]

    assert isinstance(delta, TextDelta)
    assert ask.judge(A, Sought(), Generation(delta.logprobs, delta.text, reason="stop")) is None

"""A recorded provider says what was said, and nothing new."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from daemon.replaying.recorded_ask import RecordedAsk
from daemon.replaying.recordings import Item, Recorded
from providers.contract import BadAnswer, Text, fold

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

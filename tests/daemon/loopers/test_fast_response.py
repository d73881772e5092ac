"""The answer that a decision brings along."""

from __future__ import annotations

from daemon.decision.rules import Decision
from daemon.loopers.fast_response import fast_response
from providers.contract import Deltas, Finish, TextDelta, Usage


async def test_nobody_is_asked() -> None:
    """Its words are the answer, at no cost."""

    def ask(candidate: object) -> Deltas:
        raise AssertionError("nobody is to be asked")

    decision = Decision("test/blocked", "fast_response", (), message="Not here.")

    heard = [delta async for delta in fast_response(decision, ask)]  # type: ignore[arg-type]

    assert heard == [TextDelta("Not here."), Finish("stop", Usage(0, 0))]

"""The looper that asks nobody: the decision brings the answer along."""

from __future__ import annotations

from daemon.decision.rules import Decision
from daemon.loopers.base import Ask
from providers.contract import Deltas, Finish, TextDelta, Usage


async def fast_response(decision: Decision, ask: Ask) -> Deltas:
    """The recipe's words, which cost no tokens."""
    yield TextDelta(decision.message)
    yield Finish("stop", Usage(0, 0))

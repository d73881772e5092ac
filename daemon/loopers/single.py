"""The plainest looper: the first candidate answers, whatever it says."""

from __future__ import annotations

from contextlib import aclosing

from daemon.decision.rules import Decision
from daemon.loopers.base import Ask
from providers.contract import Deltas


async def single(decision: Decision, ask: Ask) -> Deltas:
    """Pass the first candidate's deltas on."""
    async with aclosing(ask(decision.candidates[0])) as deltas:
        async for delta in deltas:
            yield delta

"""The way back: this machine's model answers where nobody that a looper of several may ask is on it, and nobody else may.

That the request may not leave after all is known only once somebody is asked: the user said no, or what the others wrote has
to stay. `single` and `confidence` have a next candidate for that; a panel has not. And so is it that other requests spent
meanwhile what was left of a limit: a model here answers then, of whatever looper.
"""

from __future__ import annotations

from contextlib import aclosing

from daemon.decision.rules import Decision
from daemon.errors import Private, SpendingLimit
from daemon.loopers.base import Ask, Looper
from daemon.loopers.gathering import passed_on
from providers.contract import Deltas, Progress

NOTE = "nobody-beyond"
SPENT = "budget"


async def or_here(looper: Looper, decision: Decision, ask: Ask) -> Deltas:
    """What a looper answers, or the decision's way back. Raises what either does."""
    began = False
    try:
        async with aclosing(looper(decision, ask)) as deltas:
            async for delta in deltas:
                began = began or not isinstance(delta, Progress)
                yield delta
        return
    except (Private, SpendingLimit) as problem:
        spent = isinstance(problem, SpendingLimit)
        back = decision.if_spent if spent else decision.way_back
        if began or back is None:
            raise
    ask.noted(SPENT if spent else NOTE)
    async with aclosing(passed_on(ask, back)) as deltas:
        async for delta in deltas:
            yield delta

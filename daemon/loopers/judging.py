"""How a draft is judged: looked at on its way, held against what it needs, and looked into where that could lift it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from daemon.confidence.features import Generation
from daemon.confidence.judgement import Judgement
from daemon.confidence.upstream import ASKED
from daemon.decision.rules import Decision
from daemon.loopers.base import Ask
from daemon.loopers.drafts import Draft
from daemon.loopers.evidence import further
from daemon.loopers.hedge import Hedge
from daemon.loopers.two_keys import turned
from daemon.loopers.verifying import verified


async def judged(draft: Draft, decision: Decision, ask: Ask, hedge: Hedge, until: float | None) -> Judgement | None:
    """How sure a draft is, once there is enough of it. None: nothing to judge by. Raises what its candidate raises.

    until: of the event loop's time, when it is no use to wait for more. Who reads nothing before the end waits for the first
    judgement so long, and then for the rest of a draft that passed it.
    """
    try:
        async with asyncio.timeout_at(until) as limit:
            if decision.sought.method in ASKED:
                return await _graded(draft, decision, ask)
            await _watched(draft, ask, hedge)
            if decision.whole:
                limit.reschedule(None)
            return await _judged_whole(draft, decision, ask)
    except TimeoutError:
        ask.noted("not-in-time")
        return ask.judge(draft.candidate, decision.sought, Generation((), ""))


async def keyed(draft: Draft, decision: Decision, ask: Ask) -> bool:
    """Whether a draft that is sure enough needs no second key, or has it."""
    if draft.weighed is None:
        return True
    draft.keyed = await turned(draft.candidate, draft.calls, draft.weighed, decision, ask)
    return draft.keyed


async def _graded(draft: Draft, decision: Decision, ask: Ask) -> Judgement | None:
    """By what is told of it when it is over, as a recipe's method has it."""
    await draft.finish(ask)
    if draft.calls:
        draft.weighed = await ask.weigh(draft.candidate, draft.calls)
    return await verified(decision, ask, draft)


async def _watched(draft: Draft, ask: Ask, hedge: Hedge) -> None:
    """Look at a draft until there is enough of it, or it is hopeless."""
    async with aclosing(draft.looks(ask)) as looks:
        async for outlook in looks:
            if outlook == "hopeless":
                ask.noted("stopped-early")
                break
            if outlook == "amber":
                hedge.open(ask)


async def _judged_whole(draft: Draft, decision: Decision, ask: Ask) -> Judgement | None:
    """By what is there of it, and by all of it where that matters."""
    if draft.calls:
        await draft.finish(ask)
    judged = await _held_against(draft, decision, ask)
    whole = decision.whole or (decision.keyring is not None and decision.keyring.careful)
    if whole and judged and judged.passed and not draft.ended:
        await draft.finish(ask)
        judged = await _held_against(draft, decision, ask)
    return await further(decision, ask, draft, judged)


async def _held_against(draft: Draft, decision: Decision, ask: Ask) -> Judgement | None:
    """By what its own generation shows, and by what the candidate says of it where that is worth something."""
    if draft.calls:
        draft.weighed = await ask.weigh(draft.candidate, draft.calls)
    elif draft.ended and not decision.sought.method:
        draft.self_check = await ask.self_check(draft.candidate)
    return ask.judge(draft.candidate, decision.sought, draft.generation)

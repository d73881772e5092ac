"""The confidence looper: cheap first, and up when it is not sure.

Theory of operation. A candidate with a threshold is a draft: what it writes is held back until it has ended, or until
JUDGED_TOKENS tokens or, where the client reads along, HOLD_S seconds of generation are there. On the way it is looked at a
few times: a draft that can't become sure enough any more is stopped at once, and one that would not pass as it stands may
have the next candidate asked beside it, where the user allows hedges. Then how sure it is decides: what was held goes out
and the rest follows, or the next candidate is asked. For a client that reads nothing before the end it decides twice, at
the same place and over the whole; so it does where tools are offered that can do harm, since words that are out can't be
taken back for the call behind them (`two_keys`). A draft that failed in the middle is stopped: if nobody better answers, it
is asked anew. One that failed as a whole and could still be lifted by further answers has them drawn
(`evidence`); a recipe's method that asks about drafts decides by what it is told (`verifying`).

The candidate without a threshold is the last resort that needs none: its deltas go out as they come. Once one delta is out
the answer is that candidate's, whatever happens: never two answers in one stream.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, aclosing

from daemon.confidence.judgement import Judgement
from daemon.confidence.upstream import ASKED
from daemon.decision.rules import Candidate, Decision
from daemon.errors import BudgetSpent, NoCandidate
from daemon.loopers.base import Ask
from daemon.loopers.drafts import Draft
from daemon.loopers.evidence import further
from daemon.loopers.hedge import Hedge
from daemon.loopers.two_keys import guarded, turned
from daemon.loopers.verifying import verified
from providers.contract import Delta, Deltas, Progress, ProviderError


async def confidence(decision: Decision, ask: Ask) -> Deltas:
    """Answer with the first candidate that is sure enough, else with the best draft. Raises what the last one raised."""
    best: Draft | None = None
    best_short = 0.0  # how far it was from being sure enough: scores of different kinds compare by that
    failure: Exception | None = None
    async with AsyncExitStack() as open_calls:
        hedge: Hedge | None = None
        for candidate, following in _with_next(decision.candidates):
            if candidate.threshold is None:
                began = False
                try:
                    answer = (hedge and hedge.taken(candidate)) or ask(candidate)
                    async with aclosing(answer), aclosing(guarded(answer, candidate, decision, ask)) as deltas:
                        if decision.whole:
                            deltas = _replay([delta async for delta in deltas])
                        async for delta in deltas:
                            began = began or not isinstance(delta, Progress)
                            yield delta
                except (ProviderError, NoCandidate, BudgetSpent) as error:
                    if began:
                        raise
                    failure = error
                else:
                    return
                continue
            hedge = Hedge(following if following and following.threshold is None else None)
            open_calls.push_async_callback(hedge.close)
            draft = Draft(candidate, await open_calls.enter_async_context(aclosing(ask(candidate))), decision)
            try:
                judged = await _judged(draft, decision, ask, hedge)
            except (ProviderError, NoCandidate, BudgetSpent) as error:
                failure = error
                continue
            short = judged.required - judged.score if judged else 1.0
            if best is None or short < best_short:
                best, best_short = draft, short
            if judged and judged.passed and await _keyed(draft, decision, ask):
                await hedge.close()
                break
            await draft.stop()
        if best is None:
            raise failure or NoCandidate("nobody could answer")
        ask.chosen(best.candidate)
        async with aclosing(best.release(ask)) as deltas:
            async for delta in deltas:
                yield delta


async def _judged(draft: Draft, decision: Decision, ask: Ask, hedge: Hedge) -> Judgement | None:
    """How sure a draft is, once there is enough of it. None: nothing to judge by. Raises what its candidate raises."""
    if decision.sought.method in ASKED:
        await draft.finish(ask)
        if draft.calls:
            draft.weighed = await ask.weigh(draft.candidate, draft.calls)
        return await verified(decision, ask, draft)
    async with aclosing(draft.looks(ask)) as looks:
        async for outlook in looks:
            if outlook == "hopeless":
                ask.noted("stopped-early")
                break
            if outlook == "amber":
                hedge.open(ask)
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


async def _keyed(draft: Draft, decision: Decision, ask: Ask) -> bool:
    """Whether a draft that is sure enough needs no second key, or has it."""
    if draft.weighed is None:
        return True
    draft.keyed = await turned(draft.candidate, draft.calls, draft.weighed, decision, ask)
    return draft.keyed


def _with_next(candidates: tuple[Candidate, ...]) -> list[tuple[Candidate, Candidate | None]]:
    return list(zip(candidates, (*candidates[1:], None), strict=True))


async def _replay(deltas: list[Delta]) -> Deltas:
    for delta in deltas:
        yield delta

"""The confidence looper: cheap first, and up when it is not sure.

Theory of operation. A candidate with a threshold is a draft: what it writes is held back until it has ended, or until
JUDGED_TOKENS tokens or, where the client reads along, HOLD_S seconds of generation are there. On the way it is looked at a
few times: a draft that can't become sure enough any more is stopped at once, and one that would not pass as it stands may
have the next candidate asked beside it, where the user allows hedges. Then how sure it is decides: what was held goes out
and the rest follows, or the next candidate is asked. For a client that reads nothing before the end it decides twice, at
the same place and over the whole; so it does where tools are offered that can do harm, since words that are out can't be
taken back for the call behind them (`two_keys`). What can't be judged in the time that the decision gives is stopped, so
that who goes up in the end has not waited for it. Of a draft that is over and consists of pieces, those that fail are asked
for alone (`mending.py`). A draft that failed in the middle is stopped: if nobody better answers, it is asked anew. One that
failed as a whole and could still be lifted by further answers has them drawn (`evidence`); a recipe's method that asks about
drafts decides by what it is told (`verifying`). How drafts are judged is `judging.py`'s.

The candidate without a threshold is the last resort that needs none: its deltas go out as they come. Once one delta is out
the answer is that candidate's, whatever happens: never two answers in one stream.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, aclosing

from daemon.confidence.judgement import Judgement
from daemon.decision.rules import Candidate, Decision
from daemon.errors import BudgetSpent, NoCandidate
from daemon.loopers.base import Ask
from daemon.loopers.drafts import Draft
from daemon.loopers.hedge import Hedge
from daemon.loopers.judging import judged as judged_of
from daemon.loopers.judging import keyed
from daemon.loopers.mending import mended
from daemon.loopers.two_keys import guarded
from providers.contract import Delta, Deltas, Finish, Progress, ProviderError, TextDelta


async def confidence(decision: Decision, ask: Ask) -> Deltas:
    """Answer with the first candidate that is sure enough, else with the best draft. Raises what the last one raised."""
    best: Draft | None = None
    best_short = 0.0  # how far it was from being sure enough: scores of different kinds compare by that
    failure: Exception | None = None
    until = None if decision.within_s is None else asyncio.get_running_loop().time() + decision.within_s
    async with AsyncExitStack() as open_calls:
        hedge: Hedge | None = None
        for candidate, following in _with_next(decision.candidates):
            if candidate.threshold is None:
                began = False
                try:
                    if answer := hedge and hedge.taken(candidate):
                        ask.chosen(candidate)  # its first words came while the draft was still written
                    else:
                        answer = ask(candidate)
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
                judged = await judged_of(draft, decision, ask, hedge, until)
            except (ProviderError, NoCandidate, BudgetSpent) as error:
                failure = error
                continue
            short = judged.required - judged.score if judged else 1.0
            if best is None or short < best_short:
                best, best_short = draft, short
            if (text := await _mended(draft, judged, following, hedge, ask)) is not None:
                yield TextDelta(text)
                yield Finish("stop", ask.spent())
                return
            if judged and judged.passed and await keyed(draft, decision, ask):
                await hedge.close()
                break
            await draft.stop()
        if best is None:
            raise failure or NoCandidate("nobody could answer")
        ask.chosen(best.candidate)
        async with aclosing(best.release(ask)) as deltas:
            async for delta in deltas:
                yield delta


async def _mended(
    draft: Draft, judged: Judgement | None, following: Candidate | None, hedge: Hedge, ask: Ask
) -> str | None:
    """A draft that is over, with its failing pieces as whoever is behind it writes them; None if it can't be mended."""
    if following is None or following.threshold is not None or hedge.begun or not draft.words_alone:
        return None
    return await mended(draft.generation, judged, following, ask)


def _with_next(candidates: tuple[Candidate, ...]) -> list[tuple[Candidate, Candidate | None]]:
    return list(zip(candidates, (*candidates[1:], None), strict=True))


async def _replay(deltas: list[Delta]) -> Deltas:
    for delta in deltas:
        yield delta

"""The confidence looper: cheap first, and up when it is not sure.

Theory of operation. A candidate with a threshold is a draft: its first tokens are held back until it has ended, or
until HOLD_TOKENS tokens or, where the client reads along, HOLD_S seconds of generation are there. How sure it is decides
once: if it is sure enough, what was held goes out and the rest follows; else the next candidate is asked, while the draft
stays open, because it is what the client gets if nobody better answers. The candidate without a threshold is the last
resort that needs none: its deltas go out as they come. Once one delta is out the answer is that candidate's, whatever
happens: never two answers in one stream.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from typing import Final

from daemon.confidence.features import Generation
from daemon.decision.rules import Candidate, Decision
from daemon.errors import BudgetSpent, NoCandidate
from daemon.loopers.base import Ask
from providers.contract import Delta, Deltas, Finish, Logprob, Progress, ProviderError, TextDelta

HOLD_TOKENS: Final = 64
HOLD_S: Final = 0.4


class _Draft:
    """A candidate's answer that nobody has seen yet."""

    def __init__(self, candidate: Candidate, deltas: Deltas) -> None:
        self.candidate = candidate
        self._deltas = deltas
        self._held: list[Delta] = []
        self.logprobs: list[Logprob] = []

    async def hold(self, ask: Ask, whole: bool) -> None:
        """Take deltas in until there is enough to judge by. whole: nobody waits for the first words, only for the last."""
        first_at: float | None = None
        async for delta in self._deltas:
            if isinstance(delta, Progress):
                continue
            self._held.append(delta)
            if isinstance(delta, Finish):
                return
            if isinstance(delta, TextDelta):
                first_at = ask.now() if first_at is None else first_at
                self.logprobs += delta.logprobs
                if len(self.logprobs) >= HOLD_TOKENS or (not whole and ask.now() - first_at >= HOLD_S):
                    return

    def generation(self, decision: Decision) -> Generation:
        """What is there of it, to be judged."""
        text = "".join(delta.text for delta in self._held if isinstance(delta, TextDelta))
        last = self._held[-1] if self._held else None
        reason = last.reason if isinstance(last, Finish) else None
        return Generation(tuple(self.logprobs), text, decision.question, reason)

    async def release(self) -> AsyncIterator[Delta]:
        """What was held, and the rest as it comes."""
        for delta in self._held:
            yield delta
        if not (self._held and isinstance(self._held[-1], Finish)):
            async for delta in self._deltas:
                yield delta


async def _replay(deltas: list[Delta]) -> Deltas:
    for delta in deltas:
        yield delta


async def confidence(decision: Decision, ask: Ask) -> Deltas:
    """Answer with the first candidate that is sure enough, else with the best draft. Raises what the last one raised."""
    best: _Draft | None = None
    best_short = 0.0  # how far it was from being sure enough: scores of different kinds compare by that
    failure: Exception | None = None
    async with AsyncExitStack() as drafts:
        for candidate in decision.candidates:
            if candidate.threshold is None:
                began = False
                try:
                    async with aclosing(ask(candidate)) as deltas:
                        if decision.whole:
                            deltas = _replay([delta async for delta in deltas])
                        async for delta in deltas:
                            if not began and not isinstance(delta, Progress):
                                began = True
                                await drafts.aclose()  # they have lost
                            yield delta
                except (ProviderError, NoCandidate, BudgetSpent) as error:
                    if began:
                        raise
                    failure = error
                else:
                    return
                continue
            draft = _Draft(candidate, await drafts.enter_async_context(aclosing(ask(candidate))))
            try:
                await draft.hold(ask, decision.whole)
            except (ProviderError, NoCandidate, BudgetSpent) as error:
                failure = error
                continue
            judged = ask.judge(candidate, decision.sought, draft.generation(decision))
            short = judged.required - judged.score if judged else 1.0
            if best is None or short < best_short:
                best, best_short = draft, short
            if judged and judged.passed:
                break
        if best is None:
            raise failure or NoCandidate("nobody could answer")
        ask.chosen(best.candidate)
        async for delta in best.release():
            yield delta

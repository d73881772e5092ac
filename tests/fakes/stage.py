"""A stage for the confidence looper: drafts, errands and failures as a test wants them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing

from daemon.confidence.features import Generation, features
from daemon.confidence.further import Further
from daemon.confidence.judgement import Judgement, Known, Sought, judge, verified
from daemon.confidence.recovery import Outlook, outlook
from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from providers.contract import Delta, Deltas, Finish, Logprob, TextDelta, Usage

END = Finish("stop", Usage(1, 1))
Step = Delta | Exception | Callable[[], Awaitable[None] | None]


def said(text: str, logprob: float) -> TextDelta:
    return TextDelta(text, (Logprob(text.encode(), logprob),))


class Stage:
    """An `ask` that plays deltas and errors, and writes down what happened. known: of every candidate. beside: what is said
    to errands, one after the other; behind the last one a candidate says to them what it says to all.
    """

    def __init__(
        self, plays: dict[Candidate, list[Step]], known: Known | None = None, beside: Sequence[str | Exception] = ()
    ) -> None:
        self.plays = plays
        self.known = known or Known()
        self.beside = list(beside)
        self.errands: list[Errand] = []
        self.checks: float | None = None
        """What candidates say of their own drafts."""
        self.checked: list[str] = []
        self.entailment: Callable[[str, str], dict[str, float]] | None = None
        self.likeness: Callable[[str, str], float | None] | None = None
        self.time = 0.0
        self.asked: list[str] = []
        self.ended: list[str] = []
        self.closed: list[str] = []
        self.scores: dict[str, Judgement | None] = {}
        self.winner: str | None = None
        self.looked: list[int] = []
        self.hedges = False
        self.opened = asyncio.Event()
        """Set once a hedge has words."""
        self.notes: list[str] = []

    async def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        if errand is not None:
            self.errands.append(errand)
        if errand is not None and self.beside:
            if isinstance(say := self.beside.pop(0), Exception):
                raise say
            yield TextDelta(say)
            yield END
            return
        self.asked.append(candidate.model)
        try:
            for step in next(steps for each, steps in self.plays.items() if each.name == candidate.name):
                if isinstance(step, Exception):
                    raise step
                if callable(step):
                    if (waiting := step()) is not None:
                        await waiting
                else:
                    yield step
            self.ended.append(candidate.model)
        finally:
            self.closed.append(candidate.model)

    async def pause(self) -> None:
        """Until whoever runs beside it has had its turns."""
        await self.opened.wait()

    async def forever(self) -> None:
        await asyncio.Event().wait()

    def stands(self, text: str) -> bool:
        return False

    def spent(self) -> Usage:
        return Usage(2, 2)

    def now(self) -> float:
        return self.time

    def judge(
        self, candidate: Candidate, sought: Sought, draft: Generation, further: Further | None = None
    ) -> Judgement | None:
        assert candidate.threshold is not None
        seen = features(draft)
        self.scores[candidate.model] = judge(seen, sought, candidate.threshold, self.known, further) if seen else None
        return self.scores[candidate.model]

    def verified(
        self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None
    ) -> Judgement | None:
        assert candidate.threshold is not None
        judged = None if score is None else verified(score, sought, candidate.threshold, features(draft))
        self.scores[candidate.model] = judged
        return judged

    async def self_check(self, candidate: Candidate) -> float | None:
        self.checked.append(candidate.model)
        return self.checks

    async def entailed(self, premise: str, hypothesis: str) -> dict[str, float] | None:
        return self.entailment(premise, hypothesis) if self.entailment else None

    async def alike(self, one: str, other: str, question: frozenset[str]) -> float | None:
        return self.likeness(one, other) if self.likeness else None

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        assert candidate.threshold is not None
        self.looked.append(len(beginning.tokens))
        return outlook(beginning, sought, candidate.threshold, self.known)

    def hedge(self, candidate: Candidate) -> Deltas | None:
        return self._opened(candidate) if self.hedges else None

    async def _opened(self, candidate: Candidate) -> Deltas:
        async with aclosing(self(candidate)) as deltas:
            async for delta in deltas:
                self.opened.set()
                yield delta

    def noted(self, code: str) -> None:
        self.notes.append(code)

    def chosen(self, candidate: Candidate) -> None:
        self.winner = candidate.model

    def wait(self, seconds: float) -> Callable[[], None]:
        def step() -> None:
            self.time += seconds

        return step

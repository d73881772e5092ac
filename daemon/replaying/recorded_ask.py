"""A recorded provider: what loopers know as `ask`, answering with what models once said.

A recording has no new words: who is asked to judge, to plan or to write one answer of several fails here, and a looper does
what it does when that fails. Nor has it log-probabilities: what else is known of how sure an answer is stands in place of
them, as if the answer were one token of that probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Protocol

from daemon.confidence.features import Generation, features
from daemon.confidence.further import Further
from daemon.confidence.judgement import Judgement, Known, Sought, judge
from daemon.confidence.recovery import Outlook
from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from daemon.loopers.gathering import Answer
from daemon.replaying.recordings import Item, Recorded
from daemon.tools.weighing import Weighed
from providers.contract import BadAnswer, Deltas, Finish, Logprob, Text, TextDelta, ToolCall, Usage

_NOTHING: Final = Usage(0, 0)
_LEAST: Final = 1e-9
"""A sureness that has a logarithm."""


class Sureness(Protocol):
    """How sure a model's answer is, in [0, 1]."""

    def __call__(self, item: Item, model: str, before: Sequence[str]) -> float:
        """before: the models that had answered the same request until then, in order."""
        ...


class RecordedAsk:
    """Of one question. winner: whose answer was released. calls: how many were made, those that failed too. asked: who
    answered, in order.
    """

    def __init__(self, item: Item, sureness: Sureness | None = None) -> None:
        self._item = item
        self._sureness = sureness
        self.winner: str | None = None
        self.calls = 0
        self.asked: list[str] = []
        self.sides: list[str] = []

    async def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        self.calls += 1
        if errand is not None and errand.role not in ("panel", "step"):
            raise BadAnswer("a recording has no new words")
        text = self._item.answers[candidate.model].text
        shown = self._shown(candidate.model, text)
        self.asked.append(candidate.model)
        yield TextDelta(text, shown)
        self.winner = candidate.model
        yield Finish("stop", _NOTHING)

    def now(self) -> float:
        return 0.0

    def judge(
        self, candidate: Candidate, sought: Sought, draft: Generation, further: Further | None = None
    ) -> Judgement | None:
        """As of a setup that was never measured."""
        seen = features(draft)
        if seen is None or candidate.threshold is None:
            return None
        return judge(seen, sought, candidate.threshold, Known(), further)

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        """Recordings call nothing."""
        return Weighed("read", "usual")

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        """As nobody is asked twice."""
        return calls == others

    def verified(self, candidate: Candidate, sought: Sought, draft: Generation, score: float | None) -> None:
        """Nobody can be asked about them either."""

    async def self_check(self, candidate: Candidate) -> None:
        """There is no context."""

    def outlook(self, candidate: Candidate, sought: Sought, beginning: Generation) -> Outlook:
        """Recordings have no beginnings."""
        return "open"

    def hedge(self, candidate: Candidate) -> None:
        """Nobody waits for a recording."""

    def chosen(self, candidate: Candidate) -> None:
        self.winner = candidate.model

    def rated(self, label: str, side: str | None, score: float | None) -> None:
        if side is not None:
            self.sides.append(side)

    def noted(self, code: str) -> None:
        """Nobody reads it here."""

    def stands(self, text: str) -> bool:
        return False

    def spent(self) -> Usage:
        return _NOTHING

    async def entailed(self, premise: str, hypothesis: str) -> dict[str, float] | None:
        return None

    async def alike(self, one: str, other: str, question: frozenset[str]) -> float | None:
        return None

    async def keep(self, key: str, state: bytes) -> None:
        raise BadAnswer("a recording calls no tools")

    async def take(self, key: str) -> bytes | None:
        return None

    def _shown(self, model: str, text: str) -> tuple[Logprob, ...]:
        if self._sureness is None:
            return ()
        sure = self._sureness(self._item, model, self.asked)
        return (Logprob(text.encode(), math.log(max(sure, _LEAST))),)


def answer(model: str, recorded: Recorded) -> Answer:
    """A recorded answer as loopers compare it."""
    return Answer(Candidate("recorded", model), Errand(model, "panel"), (Text(recorded.text),), "stop")

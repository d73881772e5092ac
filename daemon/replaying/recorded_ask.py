"""A recorded provider: what loopers know as `ask`, answering with what models once said.

A recording has no new words: who is asked to judge, to plan or to write one answer of several fails here, and a looper does
what it does when that fails.
"""

from __future__ import annotations

from daemon.confidence.features import Generation
from daemon.confidence.judgement import Sought
from daemon.confidence.recovery import Outlook
from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from daemon.replaying.recordings import Item
from daemon.tools.weighing import Weighed
from providers.contract import BadAnswer, Deltas, Finish, TextDelta, ToolCall, Usage

_NOTHING = Usage(0, 0)


class RecordedAsk:
    """Of one question. winner: whose answer was released. calls: how many were made, those that failed too."""

    def __init__(self, item: Item) -> None:
        self._item = item
        self.winner: str | None = None
        self.calls = 0
        self.sides: list[str] = []

    async def __call__(self, candidate: Candidate, errand: Errand | None = None) -> Deltas:
        self.calls += 1
        if errand is not None and errand.role not in ("panel", "step"):
            raise BadAnswer("a recording has no new words")
        yield TextDelta(self._item.answers[candidate.model].text)
        self.winner = candidate.model
        yield Finish("stop", _NOTHING)

    def now(self) -> float:
        return 0.0

    def judge(self, candidate: Candidate, sought: Sought, draft: Generation) -> None:
        """Recordings have no log-probabilities."""

    async def weigh(self, candidate: Candidate, calls: tuple[ToolCall, ...]) -> Weighed:
        """Recordings call nothing."""
        return Weighed("read", "usual")

    def agree(
        self, candidate: Candidate, calls: tuple[ToolCall, ...], label: str, others: tuple[ToolCall, ...]
    ) -> bool:
        """As nobody is asked twice."""
        return calls == others

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

    async def keep(self, key: str, state: bytes) -> None:
        raise BadAnswer("a recording calls no tools")

    async def take(self, key: str) -> bytes | None:
        return None

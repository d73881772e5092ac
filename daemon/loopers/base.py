"""The contract of a looper: from a decision and a way to ask, an answer."""

from __future__ import annotations

from typing import Protocol

from daemon.confidence.judgement import Judgement
from daemon.decision.rules import Candidate, Decision
from providers.contract import Deltas


class Ask(Protocol):
    """The way to an answerer. A looper can't tell device from cloud by it, and can't go past the boundary."""

    def __call__(self, candidate: Candidate) -> Deltas:
        """Ask one candidate once."""
        ...

    def now(self) -> float:
        """Seconds that never run backwards."""
        ...

    def judged(self, candidate: Candidate, judgement: Judgement | None, passed: bool) -> None:
        """Say how sure a candidate's draft was. None: it gave nothing to judge by."""
        ...

    def chosen(self, candidate: Candidate) -> None:
        """Say whose draft is released after others were asked too."""
        ...


class Looper(Protocol):
    """An async generator function. It never yields what it may take back."""

    def __call__(self, decision: Decision, ask: Ask) -> Deltas:
        """Answer. Raises what `ask` raises if nobody can."""
        ...

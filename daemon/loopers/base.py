"""The contract of a looper: from a decision and a way to ask, an answer."""

from __future__ import annotations

from typing import Protocol

from daemon.confidence.features import Generation
from daemon.confidence.judgement import Judgement, Sought
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

    def judge(self, candidate: Candidate, sought: Sought, draft: Generation) -> Judgement | None:
        """How sure a candidate's draft is, and how sure it has to be; it is written down. None: nothing to judge by."""
        ...

    def chosen(self, candidate: Candidate) -> None:
        """Say whose draft is released after others were asked too."""
        ...


class Looper(Protocol):
    """An async generator function. It never yields what it may take back."""

    def __call__(self, decision: Decision, ask: Ask) -> Deltas:
        """Answer. Raises what `ask` raises if nobody can."""
        ...

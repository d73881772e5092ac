"""The contract of a looper: from a decision and a way to ask, an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from daemon.decision.rules import Candidate, Decision
from providers.contract import Deltas

Ask = Callable[[Candidate], Deltas]
"""Ask one candidate once. A looper can't tell device from cloud, and can't go past the boundary."""


class Looper(Protocol):
    """An async generator function. It never yields what it may take back."""

    def __call__(self, decision: Decision, ask: Ask) -> Deltas:
        """Answer. Raises what `ask` raises if nobody can."""
        ...

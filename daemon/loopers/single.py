"""The plainest looper: the first candidate answers, whatever it says."""

from __future__ import annotations

from daemon.decision.rules import Decision
from daemon.loopers.base import Ask
from providers.contract import Deltas


def single(decision: Decision, ask: Ask) -> Deltas:
    """The first candidate's deltas, as they are."""
    return ask(decision.candidates[0])

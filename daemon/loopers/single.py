"""The plainest looper: the first candidate answers, whatever it says."""

from __future__ import annotations

from daemon.decision.rules import Decision
from daemon.loopers.base import Ask
from daemon.loopers.two_keys import alone
from providers.contract import Deltas


def single(decision: Decision, ask: Ask) -> Deltas:
    """The first candidate's deltas, as they are. Raises NoSecondKey where the user wants calls held."""
    candidate = decision.candidates[0]
    return ask(candidate) if decision.keyring is None else alone(candidate, decision, ask)

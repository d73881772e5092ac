"""Whether a conversation stays with its decision, so that small edits don't turn it.

Only decisions that are told apart by how sure they are can be held: what a recipe ranks by tier or priority is its will, and
a rule that guards something must win in the very turn in which it first holds.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from daemon.routing.live import Live, Verdict
from daemon.routing.sessions import Sessions, in_tool_loop
from daemon.signals.base import Observation
from providers.contract import Request

MARGIN: Final = 0.05
"""By how much surer another decision has to be; upstream's switch_margin."""


def held(
    live: Live, verdict: Verdict, observations: tuple[Observation, ...], sessions: Sessions, request: Request
) -> Verdict:
    """The verdict, or the one before it if that still holds and is as good as the new one."""
    last = sessions.last(request)
    taken = verdict.outcome.decision
    if last is None or last.edition != live.number or taken is None or last.decision == taken:
        return verdict
    if last.decision not in verdict.outcome.ranked or not _of_one_rank(live, last.decision, taken):
        return verdict
    if not in_tool_loop(request):
        standings = live.engine.weigh(live.seen(observations)).standings
        old, new = standings[last.decision].measure, standings[taken].measure
        if old is None or new is None or old.scale != new.scale or new.score - old.score >= MARGIN:
            return verdict
    decision = live.decisions[last.decision]
    ranked = (last.decision, *(name for name in verdict.outcome.ranked if name != last.decision))
    return Verdict(decision, decision.model_refs, replace(verdict.outcome, decision=last.decision, ranked=ranked))


def _of_one_rank(live: Live, one: str, other: str) -> bool:
    """Whether only confidence, or the name, tells them apart."""
    first, second = live.decisions[one], live.decisions[other]
    if (first.tier, first.rules is None) != (second.tier, second.rules is None):
        return False
    return live.routing.strategy == "confidence" or first.priority == second.priority

"""Two keys for calls that may do harm: the draft's own sureness, and a second answer that calls the same.

Theory of operation. The second answer is another model's of this machine, if one is there; else, unless the calls need an
independent one, the same model draws again, warmer, which is the weaker key: what one file has learned wrong it draws wrong
twice. Who can't answer is passed over; the first who does decides. Without agreement the draft has not passed, and whoever
stands behind it is asked. Where nobody does, the user has said whether the calls go out on one key or not at all; they are
then held to the answer's end.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from msgspec.structs import replace

from daemon.decision.rules import Candidate, Decision
from daemon.errors import NoSecondKey
from daemon.loopers.base import Ask, Errand
from daemon.loopers.gathering import FAILURES, answered
from daemon.tools.weighing import Weighed
from providers.contract import Delta, Deltas, ToolCall, ToolCallDelta

WARM: Final = 0.7
"""The temperature of a second draw: at the first one's, often 0, it would be the first one again."""


def calls_of(deltas: Sequence[Delta]) -> tuple[ToolCall, ...]:
    """Whole calls, as attempts release them."""
    return tuple(
        ToolCall(delta.id or "", delta.name or "", delta.arguments)
        for delta in deltas
        if isinstance(delta, ToolCallDelta)
    )


async def turned(
    candidate: Candidate, calls: tuple[ToolCall, ...], weighed: Weighed, decision: Decision, ask: Ask
) -> bool:
    """Whether calls of a candidate have the second key that they need."""
    if not weighed.wants_second or decision.keyring is None:
        return not weighed.wants_second
    for number, second in enumerate(_seconds(candidate, weighed, decision)):
        same = second.name == candidate.name
        errand = Errand(f"key-{number}", "key", tools=True, temperature=WARM if same else None, draw=1)
        try:
            answer = await answered(ask, replace(second, threshold=candidate.threshold), errand)
        except FAILURES:
            continue
        return ask.agree(candidate, calls, errand.label, answer.calls)
    return False


def _seconds(candidate: Candidate, weighed: Weighed, decision: Decision) -> list[Candidate]:
    assert decision.keyring
    others = [each for each in decision.keyring.seconds if each.name != candidate.name]
    return others if weighed.keys == "independent" else [*others, candidate]


async def guarded(deltas: Deltas, candidate: Candidate, decision: Decision, ask: Ask) -> Deltas:
    """An answer behind which nobody stands: its calls go out as the user has it. Raises NoSecondKey."""
    keyring = decision.keyring
    if keyring is None or not keyring.covers(candidate):
        async for delta in deltas:
            yield delta
        return
    seen: list[Delta] = []  # from the first call on
    async for delta in deltas:
        if seen or isinstance(delta, ToolCallDelta):
            seen.append(delta)
        if not (seen and keyring.refuses):
            yield delta
    if not seen:
        return
    calls = calls_of(seen)
    weighed = await ask.weigh(candidate, calls)
    if not keyring.refuses:
        if weighed.wants_second:
            ask.noted("one-key")
        return
    if not await turned(candidate, calls, weighed, decision, ask):
        raise NoSecondKey
    ask.chosen(candidate)
    for delta in seen:
        yield delta


async def alone(candidate: Candidate, decision: Decision, ask: Ask) -> Deltas:
    """Ask the only one there is, and guard its answer."""
    async with aclosing(ask(candidate)) as deltas, aclosing(guarded(deltas, candidate, decision, ask)) as kept:
        async for delta in kept:
            yield delta

"""Several candidates asked side by side: who answered, and what kept the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from msgspec import Struct

from daemon.decision.rules import Candidate
from daemon.errors import BudgetSpent, NoCandidate, Private
from daemon.loopers.base import Ask, Errand
from providers.contract import (
    Delta,
    Deltas,
    Finish,
    FinishReason,
    NoAnswer,
    ProviderError,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Unreachable,
    Usage,
    fold,
)

FAILURES: Final = (ProviderError, NoCandidate, BudgetSpent)
"""What may happen to one of several without being the end of all."""


class Answer(Struct, frozen=True):
    """A candidate's whole answer to an errand. text: its words without its thoughts."""

    candidate: Candidate
    errand: Errand
    parts: tuple[Text | Thought | ToolCall, ...]
    reason: FinishReason

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Text)).strip()

    @property
    def thoughts(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Thought)).strip()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Round(Struct, frozen=True):
    """Answers in the order of asking. failure: what kept the first of those from answering who didn't, of those that may
    not be asked before others. spent: whether the
    ledger has no room for more. asked: by their errands' labels, all but those who may not be asked, who are left out.
    """

    answers: tuple[Answer, ...]
    failure: Exception | None = None
    spent: bool = False
    asked: frozenset[str] = frozenset()

    def need(self, quorum: int, ask: Ask, fail: bool) -> None:
        """Raises what went wrong if nobody answered, or if too few did and that shall be an end."""
        if self.answers and len(self.answers) >= min(quorum, len(self.asked)):
            return
        if not self.answers or fail:
            raise self.failure or NoCandidate("nobody could answer")
        ask.noted("below-quorum")


async def answered(ask: Ask, candidate: Candidate, errand: Errand) -> Answer:
    """Ask one. Raises what it raises, NoAnswer for an answer without words and calls."""
    async with aclosing(ask(candidate, errand)) as deltas:
        choice = (await fold(deltas)).choices[0]
    answer = Answer(candidate, errand, choice.parts, choice.reason)
    if not answer.text and not answer.calls:
        raise NoAnswer
    return answer


async def gather(
    ask: Ask, asked: Sequence[tuple[Candidate, Errand]], at_once: int | None = None, timeout_s: float | None = None
) -> Round:
    """Ask all, at most `at_once` at a time, for at most `timeout_s`. Who has not answered by then is ended."""
    results: list[Answer | Exception | None] = [None] * len(asked)
    gate = asyncio.Semaphore(at_once or max(1, len(asked)))

    async def one(place: int, candidate: Candidate, errand: Errand) -> None:
        async with gate:
            try:
                results[place] = await answered(ask, candidate, errand)
            except FAILURES as problem:
                results[place] = problem

    try:
        async with asyncio.timeout(timeout_s), asyncio.TaskGroup() as tasks:
            for place, (candidate, errand) in enumerate(asked):
                tasks.create_task(one(place, candidate, errand))
    except TimeoutError:
        ask.noted("round-timed-out")
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    late = Unreachable("the answer did not come within the round's time: raise `round_timeout_seconds` in the recipe")
    failures = [late if each is None else each for each in results if not isinstance(each, Answer)]
    stay = [each for each in failures if isinstance(each, Private)]
    if stay:
        ask.noted("left-out")
    return Round(
        answers=tuple(each for each in results if isinstance(each, Answer)),
        failure=next(iter((*stay, *failures)), None),
        spent=any(isinstance(each, BudgetSpent) for each in failures),
        asked=frozenset(
            errand.label for (_, errand), each in zip(asked, results, strict=True) if not isinstance(each, Private)
        ),
    )


async def said(answer: Answer, ask: Ask) -> Deltas:
    """An answer that is released as the client's."""
    ask.chosen(answer.candidate)
    for delta in deltas_of(answer.parts):
        yield delta
    yield Finish(answer.reason, ask.spent())


def deltas_of(parts: Sequence[Text | Thought | ToolCall]) -> list[Delta]:
    """Parts as they are streamed. A thought's signature is its maker's, and goes with the words that it signs."""
    deltas: list[Delta] = []
    for part in parts:
        match part:
            case Text(text=text):
                deltas.append(TextDelta(text))
            case Thought(text=text, signature=signature, redacted=redacted):
                deltas.append(ThoughtDelta(text, signature, redacted=redacted))
            case ToolCall(id=id, name=name, arguments=arguments):
                index = sum(isinstance(each, ToolCallDelta) for each in deltas)
                deltas.append(ToolCallDelta(index, id, name, arguments))
    return deltas


async def passed_on(ask: Ask, candidate: Candidate, errand: Errand | None = None) -> Deltas:
    """One candidate's answer as it comes. With an errand its usage is that of all calls."""
    async with aclosing(ask(candidate, errand) if errand is not None else ask(candidate)) as deltas:
        async for delta in deltas:
            if errand is not None and isinstance(delta, Finish):
                spent: Usage = ask.spent()
                yield Finish(delta.reason, spent, delta.choice, delta.stop)
            else:
                yield delta

"""The end of a looper of several: one model writes the answer, or the best of those there are is the answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from daemon.decision.rules import Candidate, Way
from daemon.loopers.agreement import sides
from daemon.loopers.base import Ask, Errand
from daemon.loopers.form import concluded, form_of
from daemon.loopers.gathering import FAILURES, Answer, answered, passed_on, said
from providers.contract import Deltas, Progress


def best_of(answers: Sequence[Answer], preferred: Candidate | None = None) -> Answer:
    """What most of them say, if they can be compared and several say it; else, and of equal sides, what `preferred` says, or
    the first.

    Upstream takes the longest. On 666 recorded answers of two models to school mathematics that was right 4.5 points less
    often than the better one of them (`nearloop bench loopers`).
    """
    names, _ = sides(answers, [1.0] * len(answers))
    own = next((place for place, answer in enumerate(answers) if answer.candidate == preferred), 0)
    most = names.count("A")
    if most < 2 or (names[own] is not None and names.count(names[own]) == most):
        return answers[own]
    return answers[names.index("A")]


async def finished(way: Way, candidate: Candidate, errand: Errand, others: Sequence[Answer], ask: Ask) -> Deltas:
    """The answer that `candidate` writes of the others. It streams, unless its form has to be held first."""
    form = form_of(way)
    if form is not None:
        async for delta in said(await _in_form(way, candidate, errand, others, ask), ask):
            yield delta
        return
    began = False
    try:
        async with aclosing(passed_on(ask, candidate, errand)) as deltas:
            async for delta in deltas:
                began = began or not isinstance(delta, Progress)
                yield delta
        return
    except FAILURES:
        if began or not others:
            raise
    ask.noted("synthesis-failed")
    async for delta in said(best_of(others, candidate), ask):
        yield delta


async def _in_form(way: Way, candidate: Candidate, errand: Errand, others: Sequence[Answer], ask: Ask) -> Answer:
    form = form_of(way)
    assert form is not None
    try:
        answer = await answered(ask, candidate, errand)
    except FAILURES:
        if not others:
            raise
        ask.noted("synthesis-failed")
        answer = best_of(others, candidate)
    return await concluded(form, answer, others, ask)

"""The ratings looper: all candidates answer side by side; votes, and where those can't tell, scores, choose one.

Theory of operation. Answers that can be compared (see `agreement`) vote; more than half of all weight decides, and nobody is
asked again. Else each candidate scores the others' answers, which it sees without names and in an order of its own; never
its own, and a score is the median of what the others gave. Standing is the share of votes plus the score. So one judge that
an answer has talked round moves a median, and no vote.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from contextlib import aclosing
from statistics import median
from typing import Final

from daemon.decision.rules import Decision, Way
from daemon.loopers import verdicts
from daemon.loopers.agreement import sides
from daemon.loopers.base import Ask, Errand
from daemon.loopers.form import concluded, form_of
from daemon.loopers.gathering import Answer, Round, gather, passed_on, said
from daemon.loopers.material import fenced
from daemon.recipes.algorithms import Ratings
from providers.contract import Deltas

UNRATED: Final = 0.5
JUDGE_TOKENS: Final = 800
"""A verdict takes 50; the rest is for models that reason first."""
_TASK: Final = (
    "Leave the question above unanswered. Below are answers to it. Score each from 0 (wrong or useless) to 10 (right and "
    'complete). Say only a JSON object such as {{"scores": {{{example}}}}}.'
)


async def ratings(decision: Decision, ask: Ask) -> Deltas:
    """Answer with the one that stands best. Raises what the first one raised if nobody answers."""
    if len(decision.candidates) == 1 or decision.way is None:
        async with aclosing(passed_on(ask, decision.candidates[0])) as deltas:
            async for delta in deltas:
                yield delta
        return
    async for delta in said(await _best(decision, decision.way, ask), ask):
        yield delta


async def _best(decision: Decision, way: Way, ask: Ask) -> Answer:
    options = way.algorithm.ratings or Ratings()
    asked = [
        (candidate, Errand(f"panel-{place}", "panel", words=way.words, tools=True))
        for place, candidate in enumerate(decision.candidates)
    ]
    came = await gather(ask, asked, options.max_concurrent)
    fail = (options.on_error or way.algorithm.on_error) == "fail"
    came.need(len(asked) if fail else 1, ask, fail)
    weights = [way.weights[int(answer.errand.label.rpartition("-")[2])] for answer in came.answers]
    names, shares = sides(came.answers, weights)
    given: dict[str, float] = {}
    if len(came.answers) > 1 and max(shares) <= 0.5 and not came.spent:
        given = await scored(came, ask, options.max_concurrent)
    for answer, side in zip(came.answers, names, strict=True):
        ask.rated(answer.errand.label, side, given.get(answer.errand.label))
    standing = [
        share + given.get(answer.errand.label, UNRATED) for answer, share in zip(came.answers, shares, strict=True)
    ]
    order = sorted(range(len(standing)), key=lambda place: (-standing[place], -weights[place], place))
    best, form = came.answers[order[0]], form_of(way)
    return await concluded(form, best, came.answers, ask) if form is not None else best


async def scored(came: Round, ask: Ask, at_once: int | None) -> dict[str, float]:
    """What others gave each answer, by its errand's label: the median, from 0 to 1. Who was scored by nobody is left out."""
    judges = []
    shown: dict[str, dict[str, str]] = {}
    for place, answer in enumerate(came.answers):
        others = [other for other in came.answers if other.errand.label != answer.errand.label]
        random.Random(place).shuffle(others)  # noqa: S311  an order, the same for the same answers
        label = f"judge-{place}"
        shown[label] = {f"answer {number}": other.errand.label for number, other in enumerate(others, 1)}
        judges.append((answer.candidate, judging(label, others)))
    given: dict[str, list[float]] = defaultdict(list)
    for verdict in (await gather(ask, judges, at_once)).answers:
        names = shown[verdict.errand.label]
        read = verdicts.scores(verdict.text, tuple(names))
        if read is None:
            ask.noted("verdict-unreadable")
            continue
        for name, score in read.items():
            given[names[name]].append(score)
    return {label: median(values) for label, values in given.items()}


def judging(label: str, answers: Sequence[Answer]) -> Errand:
    """The errand of scoring them."""
    names = [f"answer {number}" for number in range(1, len(answers) + 1)]
    task = _TASK.format(example=", ".join(f'"{name}": 0' for name in names))
    schema = {
        "type": "object",
        "properties": {
            "scores": {
                "type": "object",
                "properties": {name: {"type": "integer", "minimum": 0, "maximum": 10} for name in names},
                "required": names,
            }
        },
        "required": ["scores"],
    }
    shown = [(name, answer.text or "(a call of a tool)") for name, answer in zip(names, answers, strict=True)]
    words = f"{task}\n\n{fenced(shown)}\n\n{task}"
    return Errand(label, "judge", words, own=True, temperature=0.0, max_tokens=JUDGE_TOKENS, schema=schema)

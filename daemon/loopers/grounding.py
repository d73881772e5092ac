"""How far the answers of a panel support each other, by a model for entailment.

An answer's score, with upstream's formula: the mean over the others of entailment less p times contradiction, brought to
0 to 1 as (mean + p) / (1 + p). The premise is the other's answer, the hypothesis this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from daemon.loopers.agreement import sides
from daemon.loopers.base import Ask
from daemon.loopers.gathering import Answer
from daemon.recipes.algorithms import Grounding


async def grounded(answers: Sequence[Answer], options: Grounding, ask: Ask) -> dict[str, float]:
    """By errand's label; nothing if there is no model, or it failed."""
    penalty = 1.0 if options.nli_contradiction_penalty is None else options.nli_contradiction_penalty
    found: dict[str, float] = {}
    for answer in answers:
        supports = []
        for other in answers:
            if other is answer:
                continue
            said = await ask.entailed(other.text, answer.text)
            if said is None:
                return {}
            supports.append(said.get("entailment", 0.0) - penalty * said.get("contradiction", 0.0))
        found[answer.errand.label] = min(1.0, max(0.0, (fmean(supports) + penalty) / (1 + penalty)))
    return found


def kept(answers: tuple[Answer, ...], scores: Mapping[str, float], options: Grounding, ask: Ask) -> tuple[Answer, ...]:
    """Under `filter` those that reach `min_score`, at least `min_keep`, and whoever stands alone against all others."""
    if options.policy != "filter" or not scores:
        return answers
    names, _ = sides(answers, [1.0] * len(answers))
    best = sorted(answers, key=lambda answer: -scores[answer.errand.label])[: max(1, options.min_keep or 1)]
    left = tuple(
        answer
        for answer, name in zip(answers, names, strict=True)
        if scores[answer.errand.label] >= (options.min_score or 0.0)
        or any(answer is each for each in best)
        or (name is not None and names.count(name) == 1 and len(set(names)) > 1)
    )
    if len(left) < len(answers):
        ask.noted("filtered")
    return left

"""What a looper gains over the best single model on recorded answers, and what it loses.

The questions are split in two by their digests. On one half the best single model is chosen, and the weights of the others;
every figure is of the other half. Gains and losses are of the same questions, and the interval is a paired bootstrap's.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from itertools import combinations

from msgspec import Struct

from daemon.decision.rules import Candidate, Decision, Way
from daemon.loopers.agreement import forms
from daemon.loopers.registry import LOOPERS
from daemon.recipes.algorithms import Algorithm, Fusion, Ratings, Remom, Workflows, WorkRole
from daemon.replaying.recorded_ask import RecordedAsk, answer
from daemon.replaying.recordings import Item
from providers.contract import fold

RESAMPLES = 2000


class Outcome(Struct, frozen=True):
    """Of one way on the tested half. quality: share of right answers. gained, lost: questions that it has right and the
    best single one hasn't, and the other way round. gain, low, high: of the share, with its 95 % interval. regained: the
    part of what an oracle would gain. calls: for each question, those that a recording can't answer too.
    """

    name: str
    quality: float
    gained: int
    lost: int
    gain: float
    low: float
    high: float
    regained: float | None
    calls: float


class Comparison(Struct, frozen=True):
    """questions: in the tested half. single: the best one on the other half, and its quality here. oracle: any of the models
    right. random: one of them at random.
    """

    questions: int
    chosen_on: int
    models: dict[str, float]
    single: str
    quality: float
    oracle: float
    random: float
    outcomes: tuple[Outcome, ...]


def algorithms(models: Sequence[str]) -> dict[str, Algorithm]:
    """Loopers as they are replayed: each model asked once."""
    roles = tuple(WorkRole(name=f"role-{place}", models=(model,)) for place, model in enumerate(models))
    return {
        "ratings": Algorithm(type="ratings", ratings=Ratings()),
        "fusion": Algorithm(type="fusion", fusion=Fusion()),
        "remom": Algorithm(
            type="remom", remom=Remom(breadth_schedule=(len(models),), model_distribution="round_robin")
        ),
        "workflows": Algorithm(type="workflows", workflows=Workflows(mode="static", roles=roles, max_parallel=16)),
    }


async def compare(items: Sequence[Item], seed: int = 0) -> Comparison:
    """items: at least two, all with the same models."""
    chosen_on, tested = halves(items)
    there = {model: _share([item.answers[model].right for item in chosen_on]) for model in items[0].answers}
    ordered = sorted(there, key=lambda model: (-there[model], model))
    single = [item.answers[ordered[0]].right for item in tested]
    oracle = _share([any(each.right for each in item.answers.values()) for item in tested])
    outcomes = []
    equal, scatter = (1.0,) * len(ordered), _scatter(chosen_on, ordered)
    fitted = tuple(_weight(there[model], scatter) for model in ordered)
    for name, algorithm in algorithms(ordered).items():
        for how, weights in (("", equal), (", weighted", fitted)):
            if how and name != "ratings":
                continue  # it alone weighs its votes
            runs = [await _run(algorithm, ordered, weights, item) for item in tested]
            rights = [right for right, _ in runs]
            outcomes.append(
                _outcome(f"{name}{how}", rights, single, oracle, sum(calls for _, calls in runs) / len(runs), seed)
            )
    return Comparison(
        questions=len(tested),
        chosen_on=len(chosen_on),
        models={model: _share([item.answers[model].right for item in tested]) for model in ordered},
        single=ordered[0],
        quality=_share(single),
        oracle=oracle,
        random=sum(_share([each.right for each in item.answers.values()]) for item in tested) / len(tested),
        outcomes=tuple(outcomes),
    )


async def _run(algorithm: Algorithm, models: Sequence[str], weights: tuple[float, ...], item: Item) -> tuple[bool, int]:
    """Whether the looper's answer is right, and how many calls it made."""
    ask = RecordedAsk(item)
    way = Way(algorithm, names=tuple(models), weights=weights, said=item.question)
    candidates = tuple(Candidate("recorded", model) for model in models)
    await fold(LOOPERS[algorithm.type](Decision("replay", algorithm.type, candidates, way=way), ask))
    assert ask.winner is not None
    return item.answers[ask.winner].right, ask.calls


def _outcome(
    name: str, rights: Sequence[bool], single: Sequence[bool], oracle: float, calls: float, seed: int
) -> Outcome:
    differences = [int(ours) - int(theirs) for ours, theirs in zip(rights, single, strict=True)]
    draw = random.Random(seed)  # noqa: S311  draws that can be repeated
    means = sorted(sum(draw.choices(differences, k=len(differences))) / len(differences) for _ in range(RESAMPLES))
    room = oracle - _share(single)
    gain = sum(differences) / len(differences)
    return Outcome(
        name=name,
        quality=_share(rights),
        gained=differences.count(1),
        lost=differences.count(-1),
        gain=gain,
        low=means[int(RESAMPLES * 0.025)],
        high=means[int(RESAMPLES * 0.975) - 1],
        regained=gain / room if room > 0 else None,
        calls=calls,
    )


def halves(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """What is chosen on, and what is tested: by the questions' digests. items: at least two, so that neither is empty."""
    first = [item for item in items if _half(item) == 0]
    second = [item for item in items if _half(item) == 1]
    return (first, second) if first and second else (list(items[:1]), list(items[1:]))


def _half(item: Item) -> int:
    return hashlib.blake2b(item.question.encode(), digest_size=1).digest()[0] & 1


def _share(rights: Sequence[bool]) -> float:
    return sum(rights) / len(rights)


def _scatter(items: Sequence[Item], models: Sequence[str]) -> float:
    """Among how many wrong answers two models that are wrong choose, judged by how often they choose the same one."""
    same = pairs = 0
    for item in items:
        answers = [answer(model, item.answers[model]) for model in models]
        found = forms(answers)
        wrong = [form for form, model in zip(found, models, strict=True) if not item.answers[model].right]
        pairs += len(wrong) * (len(wrong) - 1) // 2
        same += sum(one is not None and one == other for one, other in combinations(wrong, 2))
    return pairs / same if same else max(1.0, float(pairs))


def _weight(quality: float, scatter: float) -> float:
    """What a vote is worth if models err independently: the log of how much likelier its answer is the right one than one of
    `scatter` wrong ones. At least a hundredth.
    """
    bounded = min(0.99, max(0.01, quality))
    return max(0.01, math.log(bounded * scatter / (1 - bounded)))

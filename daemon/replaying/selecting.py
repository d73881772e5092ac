"""Selectors: one model for each question, chosen by its prompt alone, with the live signals and selectors.

- *prompt length*: longer questions go to the dearer of two models;
- `complexity`: those that the live signal's trained head finds harder;
- `router_dc`: the live selector, where models are described: whom it chooses, and of two the dearer one for questions that
  are more like its description;
- `multi_factor`: the live selector, by qualities on the questions chosen on and by prices, from all quality to all cost. It
  looks at no words: at each weight one model has all questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import quantiles
from typing import Final, TypeVar

from daemon.decision.rules import Candidate
from daemon.recipes.algorithms import Algorithm, FactorWeights, MultiFactor, RouterDc
from daemon.recipes.model import ModelCard, ModelRef
from daemon.recipes.signals import Complexity, Examples, Signals
from daemon.replaying.methods import Answered, Method, Setting, alone
from daemon.replaying.prices import Price
from daemon.replaying.recordings import Item
from daemon.routing.live import Pricing
from daemon.routing.selection.base import Option, Question
from daemon.routing.selection.registry import SELECTORS
from daemon.signals.base import Asked
from daemon.signals.complexity import Complexities
from daemon.signals.parts import Parts
from daemon.signals.vectors import Vectors
from providers.contract import Message, Request, Text
from providers.texts import fields

Hardness = Callable[[str], float | None]
"""Of a question, higher for those that need the dearer model; None: it can't be told."""
Scoring = Callable[[str], dict[str, float] | None]
"""Of a question, how well each model suits it; None: it can't be told."""
T = TypeVar("T")
_SHARES: Final = 10
_STEPS: Final = 20


def length(question: str) -> float:
    """In characters."""
    return float(len(question))


def complexity(parts: Parts) -> Hardness:
    """The live signal's margin, by its trained head."""
    signal = Complexities(
        Signals(complexity=(Complexity(name="replay", threshold=0.0, hard=Examples(), easy=Examples()),)), parts
    )

    def hardness(question: str) -> float | None:
        seen = signal.look(_asked(question))
        return seen[0].value if seen else None

    return hardness


def likenesses(described: Mapping[str, str], vectors: Vectors) -> Scoring:
    """`router_dc`'s scores of described models; no likeness is too small for it."""
    options = tuple(_option(model, ModelCard(name=model, description=words)) for model, words in described.items())
    algorithm = Algorithm(type="router_dc", router_dc=RouterDc(min_similarity=0.0))

    def scores(question: str) -> dict[str, float] | None:
        found = SELECTORS["router_dc"](options, Question(algorithm, question, vectors))
        return {each.ref.model: score or 0.0 for each, score in zip(options, found, strict=True)} if found else None

    return scores


def by_likeness(items: Sequence[Item], pairs: Sequence[tuple[str, str]], scoring: Scoring) -> Method | None:
    """`router_dc`: whom it chooses of all that are described, and of two the dearer one from some score on."""

    def share(weak: str, strong: str) -> Hardness:
        def hardness(question: str) -> float | None:
            scores = scoring(question)
            return scores[strong] / (scores[weak] + scores[strong]) if scores else None

        return hardness

    async def answered(item: Item) -> Answered:
        scores = scoring(item.question) or {pairs[-1][1]: 1.0}
        model = max(scores, key=lambda each: scores[each])
        return Answered(model, (model,))

    method = by_hardness("selector router_dc", items, {pair: share(*pair) for pair in pairs})
    return method and Method(method.name, (*method.settings, Setting("the nearest description", answered)))


def by_hardness(name: str, items: Sequence[Item], pairs: Mapping[tuple[str, str], Hardness]) -> Method | None:
    """Settings for each pair of a cheaper and a dearer model. items: those chosen on. None: there is none that it tells."""
    settings: list[Setting] = []
    for pair, hardness in pairs.items():
        known = [value for item in items if (value := hardness(item.question)) is not None]
        if len(known) > 1:
            cuts = sorted(set(quantiles(known, n=_SHARES, method="inclusive")))
            settings += [_split(pair, hardness, cut, _share_from(known, cut)) for cut in cuts]
    if not settings:
        return None
    return Method(name, (*map(alone, items[0].answers), *settings))


def by_factors(models: Mapping[str, float], prices: Mapping[str, Price], vectors: Vectors) -> Method:
    """`multi_factor`. models: their qualities on the questions chosen on."""
    options = tuple(
        _option(
            model,
            ModelCard(name=model, quality_score=quality),
            Pricing(prices[model].input_price, prices[model].output_price),
        )
        for model, quality in models.items()
    )
    chosen = []
    for step in range(_STEPS + 1):
        weights = FactorWeights(quality=1 - step / _STEPS, latency=0.0, cost=step / _STEPS, load=0.0)
        algorithm = Algorithm(type="multi_factor", multi_factor=MultiFactor(weights=weights))
        scores = SELECTORS["multi_factor"](options, Question(algorithm, "", vectors))
        if scores is not None:
            best = max(range(len(scores)), key=lambda place: (scores[place] or 0.0, -place))
            chosen.append(options[best].ref.model)
    return Method("selector multi_factor", tuple(map(alone, dict.fromkeys(chosen))))


def pairs_of(models: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each cheaper one with each dearer one. models: the cheapest first."""
    return combinations(models, 2)


def remembered(look: Callable[[str], T]) -> Callable[[str], T]:
    """Looks at each question once."""
    known: dict[str, T] = {}

    def recalled(question: str) -> T:
        if question not in known:
            known[question] = look(question)
        return known[question]

    return recalled


def _split(pair: tuple[str, str], hardness: Hardness, cut: float, share: float) -> Setting:
    weak, strong = pair

    async def answered(item: Item) -> Answered:
        value = hardness(item.question)
        model = weak if value is not None and value < cut else strong
        return Answered(model, (model,))

    return Setting(f"{weak} | {strong}: the hardest {share:.0%}", answered)


def _share_from(known: Sequence[float], cut: float) -> float:
    return sum(value >= cut for value in known) / len(known)


def _option(model: str, card: ModelCard, pricing: Pricing | None = None) -> Option:
    return Option(ModelRef(model=model), Candidate("recorded", model), card, pricing or Pricing())


def _asked(question: str) -> Asked:
    request = Request(id="0" * 16, model="auto", messages=(Message("user", (Text(question),)),), protocol="replay")
    return Asked(request, fields(request))

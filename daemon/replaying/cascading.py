"""Cascades: the live confidence looper, with cheap models first, believing drafts by what a recording shows of them.

A recording has no log-probabilities, which is what the looper goes by in use. It has other answers to the same question, and
the answers' words:
- *agreement*: the share of the models asked before it that say the same, as the loopers of several compare answers. The
  first draft has nobody to agree with and is never kept, so two models at least are asked of three or more;
- *brevity*: the share of the model's answers to the questions chosen on that are at least as long. Longer answers are wrong
  more often, whatever they say: it is the least that a sign has to beat.
Where an answer's words aren't recorded there is neither, and rightness, which is, is nothing that a cascade could know.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from daemon.decision.rules import Candidate, Decision
from daemon.loopers.agreement import forms
from daemon.loopers.registry import LOOPERS
from daemon.replaying.methods import Answered, Method, Setting, alone
from daemon.replaying.recorded_ask import RecordedAsk, Sureness, answer
from daemon.replaying.recordings import Item
from providers.contract import fold

_TENTHS: Final = tuple(tenth / 10 for tenth in range(1, 10))
_MOST_AGREEING: Final = 4
_MOST_BRIEF: Final = 3
"""Models of one cascade."""


def cascades(items: Sequence[Item], models: Sequence[str]) -> list[Method]:
    """items: those chosen on. models: the cheapest first. Empty where no words are recorded."""
    if not all(said.worded for item in items for said in item.answers.values()):
        return []
    singles = tuple(map(alone, models))
    found = [Method("cascade by brevity", (*singles, *_brief(items, models)))]
    if len(models) > 2:
        found.insert(0, Method("cascade by agreement", (*singles, *_agreeing(models))))
    return found


def agreement(item: Item, model: str, before: Sequence[str]) -> float:
    """The share of those before that say what this model says."""
    *others, own = forms([answer(each, item.answers[each]) for each in (*before, model)])
    return sum(own is not None and other == own for other in others) / len(others) if others else 0.0


def brevity(items: Sequence[Item], models: Sequence[str]) -> Sureness:
    """By the lengths of these items' answers."""
    lengths = {model: sorted(len(item.answers[model].text) for item in items) for model in models}

    def sureness(item: Item, model: str, before: Sequence[str]) -> float:
        known = lengths[model]
        return 1 - bisect_left(known, len(item.answers[model].text)) / len(known)

    return sureness


def _agreeing(models: Sequence[str]) -> Iterator[Setting]:
    """Some of those before agree, or all of them."""
    for length in range(3, min(_MOST_AGREEING, len(models)) + 1):
        one = 1 / (length - 2)
        for ladder in combinations(models, length):
            yield _cascade(ladder, one / 2, agreement, "one agrees")
            if length > 3:
                yield _cascade(ladder, 1 - one / 2, agreement, "all agree")


def _brief(items: Sequence[Item], models: Sequence[str]) -> Iterator[Setting]:
    sureness = brevity(items, models)
    for length in range(2, min(_MOST_BRIEF, len(models)) + 1):
        for ladder in combinations(models, length):
            for tenth in _TENTHS:
                yield _cascade(ladder, tenth, sureness, f"the shortest {1 - tenth:.0%}")


def _cascade(ladder: Sequence[str], threshold: float, sureness: Sureness, kept: str) -> Setting:
    *drafting, last = ladder
    candidates = (*(Candidate("recorded", model, threshold) for model in drafting), Candidate("recorded", last))
    decision = Decision("replay", "confidence", candidates, whole=True)

    async def answered(item: Item) -> Answered:
        ask = RecordedAsk(item, sureness)
        await fold(LOOPERS[decision.looper](decision, ask))
        assert ask.winner is not None
        return Answered(ask.winner, tuple(ask.asked))

    return Setting(f"{' > '.join(ladder)}, kept: {kept}", answered)

"""One of a decision's candidates: those that can, then the selector's best, unless the conversation had better stay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from daemon.decision.rules import LOCAL, Candidate
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.model import ModelRef
from daemon.routing.abilities import UNABLE, Able, able, needs
from daemon.routing.live import Live, Pricing
from daemon.routing.selection.base import Option, Question, Scores
from daemon.routing.selection.registry import SELECTORS
from daemon.routing.sessions import MARGIN, Sessions, in_tool_loop
from daemon.routing.speeds import Speeds
from daemon.signals.vectors import Vectors
from daemon.wire import Model
from providers.contract import Request, Text

STATIC: Final = "static"
STAYS: Final = "stays"
"""The note on a candidate that isn't the best one now, and whose conversation it is."""
_MOST_CHARS: Final = 4000
"""Of a turn's words that are held against descriptions."""


class Bound(Struct, frozen=True):
    """A candidate, and how the recipe names it."""

    ref: ModelRef
    candidate: Candidate


class Asking(Struct, frozen=True):
    """The request that somebody is chosen for. remember: whether the conversation goes on from here."""

    request: Request
    prompt_tokens: int
    remember: bool


class Chosen(Struct, frozen=True):
    """The best first. method: how it was found."""

    bound: list[Bound]
    method: str
    notes: tuple[str, ...] = ()


class Chooser:
    """infos: this machine's models as they are now."""

    def __init__(
        self, infos: Callable[[], tuple[Model, ...]], speeds: Speeds, sessions: Sessions, vectors: Vectors
    ) -> None:
        self.speeds = speeds
        self.sessions = sessions
        self._infos = infos
        self._vectors = vectors

    def capable(self, bound: list[Bound], live: Live, asking: Asking) -> tuple[list[Bound], tuple[str, ...]]:
        """Those that can answer the request at all; all of them if nobody can."""
        infos = {info.name: info for info in self._infos()}
        known = []
        for each in bound:
            info = infos.get(each.candidate.name) if each.candidate.provider == LOCAL else None
            card = live.known.cards.get(each.ref.model)
            known.append(Able(each.candidate.provider, card, info.context_tokens if info else None))
        places = able(known, needs(asking.request, asking.prompt_tokens))
        return [bound[place] for place in places], (UNABLE,) if len(places) < len(bound) else ()

    async def choose(
        self, bound: list[Bound], live: Live, decision: str, algorithm: Algorithm | None, asking: Asking
    ) -> Chosen:
        """Raises NoCandidate if the recipe wants that. bound: at least one."""
        method: str = algorithm.type if algorithm else STATIC
        if len(bound) == 1:
            method, scores = "single", None
        else:
            scores = await self._scores(bound, live, algorithm, asking)
            if scores is None:
                method = STATIC
        best = _best(scores) if scores is not None else 0
        chosen, notes = self._unless_it_stays(best, bound, scores, live, decision, asking)
        self.stay(live, decision, bound[chosen], asking)
        return Chosen([bound[chosen], *(each for place, each in enumerate(bound) if place != chosen)], method, notes)

    def stay(self, live: Live, decision: str, bound: Bound, asking: Asking) -> None:
        """The conversation goes on from here."""
        if asking.remember:
            self.sessions.keep(asking.request, live.number, decision, bound.candidate.name)

    async def _scores(
        self, bound: list[Bound], live: Live, algorithm: Algorithm | None, asking: Asking
    ) -> Scores | None:
        selector = SELECTORS.get(algorithm.type) if algorithm else None
        if selector is None or algorithm is None:
            return None
        options = tuple(
            Option(
                ref=each.ref,
                candidate=each.candidate,
                card=live.known.cards.get(each.ref.model),
                pricing=live.known.prices.get(each.ref.model, Pricing()),
                speed=self.speeds.of(each.candidate.name),
                busy=self.speeds.busy(each.candidate.name),
            )
            for each in bound
        )
        question = Question(algorithm, _last_words(asking.request), self._vectors)
        if algorithm.type == "router_dc":  # it asks a model
            return await asyncio.to_thread(selector, options, question)
        return selector(options, question)

    def _unless_it_stays(
        self, best: int, bound: list[Bound], scores: Scores | None, live: Live, decision: str, asking: Asking
    ) -> tuple[int, tuple[str, ...]]:
        """Without scores the recipe's order holds, and only a tool loop stays."""
        last = self.sessions.last(asking.request)
        if last is None or (last.edition, last.decision) != (live.number, decision):
            return best, ()
        names = [each.candidate.name for each in bound]
        if last.candidate not in names or names.index(last.candidate) == best:
            return best, ()
        place = names.index(last.candidate)
        if in_tool_loop(asking.request):
            return place, (STAYS,)
        old, new = (scores[place], scores[best]) if scores is not None else (None, None)
        if old is not None and new is not None and new - old < MARGIN:
            return place, (STAYS,)
        return best, ()


def _best(scores: Scores) -> int:
    """The first of the highest."""
    return max(range(len(scores)), key=lambda place: (_or_least(scores[place]), -place))


def _or_least(score: float | None) -> float:
    return -1.0 if score is None else score


def _last_words(request: Request) -> str:
    for message in reversed(request.messages):
        if message.role == "user":
            return " ".join(part.text for part in message.parts if isinstance(part, Text))[:_MOST_CHARS]
    return ""

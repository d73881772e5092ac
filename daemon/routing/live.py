"""A recipe in use: its signals, its decisions, and what it says of models."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Final

import msgspec
from msgspec import Struct

from daemon.decision.engine import Engine, Outcome
from daemon.decision.reach import reached
from daemon.decision.seen import TRUE, Seen
from daemon.decision.trace import Trace, trace
from daemon.errors import NoCandidate
from daemon.recipes.model import Decision, ModelCard, ModelRef, Routing
from daemon.settings import OnFailure
from daemon.signals.base import Observation
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from providers.contract import Reach, Request


class Pricing(Struct, frozen=True):
    """Of a model, in US dollars for a million tokens; None where the recipe doesn't say."""

    prompt_per_1m: float | None = None
    completion_per_1m: float | None = None


class _Model(Struct, frozen=True):
    name: str
    pricing: Pricing = Pricing()


class _Defaults(Struct, frozen=True):
    default_model: str | None = None
    default_reasoning_effort: str | None = None


class _Providers(Struct, frozen=True):
    """What of the machine's section says something about models, and not where they are."""

    defaults: _Defaults = _Defaults()
    models: tuple[_Model, ...] = ()


_NOTHING: Final = _Providers()


class Known(Struct, frozen=True):
    """What a file says of models. default: who answers where no decision holds."""

    cards: Mapping[str, ModelCard]
    prices: Mapping[str, Pricing]
    default: str | None = None
    effort: str | None = None


def known_of(routing: Routing, providers: object) -> Known:
    """Of a file's cards and of its `providers`, of which nothing else is read."""
    try:
        said = msgspec.convert(providers, _Providers) if providers is not None else _NOTHING
    except msgspec.ValidationError:
        said = _NOTHING  # it is upstream's machine that this would have to fit
    return Known(
        cards={card.name: card for card in routing.model_cards},
        prices={model.name: model.pricing for model in said.models},
        default=said.defaults.default_model,
        effort=said.defaults.default_reasoning_effort,
    )


class Verdict(Struct, frozen=True):
    """What a recipe says of a request. decision: None if none of its rules holds."""

    decision: Decision | None
    refs: tuple[ModelRef, ...]
    outcome: Outcome


_numbers: Final = count(1)


class Live:
    """One policy, ready to be asked from the event loop. reach: how far its requests go at most. number: its own.

    It stays usable for those who hold it after `retire`, and then ends its threads with the last look.
    """

    def __init__(
        self,
        name: str,
        routing: Routing,
        known: Known,
        parts: Parts,
        failures: Mapping[str, OnFailure],
        deadline_s: float,
        reach: Reach = "any",
    ) -> None:
        self.number = next(_numbers)
        self.name = name
        self.routing = routing
        self.known = known
        self.reach = reach
        self.engine = Engine(routing)
        self._observer = Observer(reached(routing), parts, failures, deadline_s)
        self.decisions = {decision.name: decision for decision in routing.decisions}
        self._looking = 0
        self._retired = False

    async def observe(self, request: Request) -> tuple[Observation, ...]:
        """What its signals see."""
        self._looking += 1
        try:
            return await self._observer.observe(request)
        finally:
            self._looking -= 1
            self._close_if_over()

    def verdict(self, observations: tuple[Observation, ...]) -> Verdict:
        """What its decisions make of that. Raises NoCandidate if one wants requests refused that it can't judge."""
        outcome = self.engine.decide(self.seen(observations))
        if outcome.failed_by is not None:
            raise NoCandidate(
                f"the decision {outcome.failed_by} of the recipe {self.name} can't be judged, because a signal that it "
                "needs could not look, and it wants such requests refused (`on_unknown: fail_request`): "
                "`nearloop doctor` says what is missing"
            )
        decision = self.decisions[outcome.decision] if outcome.decision is not None else None
        refs = decision.model_refs if decision else ()
        if not refs and self.known.default is not None:
            refs = (ModelRef(model=self.known.default),)
        return Verdict(decision, refs, outcome)

    def trace(self, observations: tuple[Observation, ...]) -> Trace:
        """Why, in full."""
        return trace(self.engine, self.seen(observations))

    def matched(self, observations: tuple[Observation, ...]) -> dict[str, tuple[str, ...]]:
        """The rules and bands that hold, by family; of complexity with the level."""
        slots = self.engine.slots
        truths = self.engine.weigh(self.seen(observations)).board.truths
        tests = {number for number, _ in slots.tests}
        found: dict[str, list[str]] = {}
        for number, (family, name) in enumerate(slots.keys):
            if number not in tests and truths[number] == TRUE:
                found.setdefault(family, []).append(name)
        return {family: tuple(sorted(names)) for family, names in found.items()}

    def asked(self) -> list[tuple[str, str]]:
        """All rules and bands that something asks for, by family."""
        tests = {number for number, _ in self.engine.slots.tests}
        return [key for number, key in enumerate(self.engine.slots.keys) if number not in tests]

    def seen(self, observations: tuple[Observation, ...]) -> Seen:
        """As its conditions ask about it."""
        return Seen(observations, self._observer.looked)

    def warm(self) -> None:
        """Have its signals open the models that they ask."""
        self._observer.warm()

    def retire(self) -> None:
        """Others take its place."""
        self._retired = True
        self._close_if_over()

    def _close_if_over(self) -> None:
        if self._retired and not self._looking:
            self._observer.close()

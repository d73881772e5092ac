"""The contract of a selector: how good each of a decision's candidates is for a request."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from daemon.decision.rules import Candidate
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.model import ModelCard, ModelRef
from daemon.routing.live import Pricing
from daemon.routing.speeds import Speed
from daemon.signals.vectors import Vectors

Scores: TypeAlias = tuple[float | None, ...]
"""One for each option, in [0, 1], the best highest; None for one that must not be taken."""


class Option(Struct, frozen=True):
    """A candidate that can be asked, and what is known of it. busy: requests that it has now."""

    ref: ModelRef
    candidate: Candidate
    card: ModelCard | None = None
    pricing: Pricing = Pricing()
    speed: Speed = Speed()
    busy: int = 0


class Question(Struct, frozen=True):
    """What selectors may know. words: of the last user turn. vectors: they may be asked off the event loop alone."""

    algorithm: Algorithm
    words: str
    vectors: Vectors


class Selector(Protocol):
    """A pure function but for what `vectors` reads."""

    def __call__(self, options: tuple[Option, ...], question: Question) -> Scores | None:
        """None: it can't tell, and the recipe's order holds. Raises NoCandidate if the recipe wants that."""
        ...

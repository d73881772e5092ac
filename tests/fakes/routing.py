"""Recipes in use, for tests: without models, and with whoever a test wants to be here."""

from __future__ import annotations

from pathlib import Path

from daemon.boundary.judge import Clearance, Clearances
from daemon.clock import Clock
from daemon.decision.rules import Candidate, Offer, Policy
from daemon.recipes.embedder import Embedder
from daemon.routing.book import Book
from daemon.routing.edition import House, edition_of
from daemon.routing.live import Live
from daemon.routing.selection.choosing import Asking, Chooser
from daemon.routing.sessions import Sessions
from daemon.routing.settling import Scene
from daemon.routing.shelf import Shelf
from daemon.routing.sources import Source
from daemon.routing.speeds import Speeds
from daemon.settings import Settings
from daemon.signals.knowledge import KnowledgeBase
from daemon.signals.parts import Parts
from daemon.signals.vectors import Vectors
from daemon.wire import Model
from providers.contract import Request
from tests.fakes.asking import asking, without_models
from tests.fakes.clock import HeldClock

BIG = Candidate("work", "big")
NEAR = Candidate("near", "other")
OFFER = Offer(local=("small", "coder"), cloud=(BIG,), near=(NEAR,), providers=("work", "near"), device=("near",))
OPEN = Clearances(Clearance("open"))
PRIVATE = Clearances(Clearance("device", why=("private",)))
MAY = Policy(may_cloud=True, escalate_below=0.5)


def parts(bases: dict[str, KnowledgeBase], embedder: Embedder | None) -> Parts:
    return without_models(bases=bases, guard=True, embedder=embedder)


HOUSE = House(parts, {}, 10.0)


def recipe(text: str, name: str = "test", house: House = HOUSE) -> Live:
    """The default recipe of a text in the language."""
    return edition_of(Source(name, text, "dsl", Path(), Path("test.dsl")), house).lives["default"]


def scene(
    clearances: Clearances = OPEN,
    offer: Offer = OFFER,
    policy: Policy = MAY,
    request: Request | None = None,
    **models: str,
) -> Scene:
    return Scene(clearances, offer, policy, models, Asking(request or asking("hello"), 10, remember=True))


def chooser(*infos: Model, clock: Clock | None = None, vectors: Vectors | None = None) -> Chooser:
    """With nothing measured yet, and no conversation known."""
    return Chooser(lambda: infos, Speeds(), Sessions(clock or HeldClock()), vectors or without_models().vectors)


def book(settings: Settings, beside: Path) -> Book:
    return Book(settings, beside, HOUSE, Shelf(beside / "shelf", HeldClock()))

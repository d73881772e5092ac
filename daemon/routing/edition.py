"""One version of a recipe file, made ready: each of its recipes, and the model names that stand for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from daemon.decision.rules import AUTO
from daemon.recipes.embedder import Embedder, embedder_of
from daemon.recipes.files import MAX_BYTES, too_large
from daemon.recipes.loading import load
from daemon.recipes.problems import BadRecipe, Problem
from daemon.routing.live import Live, known_of
from daemon.routing.missing import missing
from daemon.routing.sources import Source
from daemon.settings import OnFailure
from daemon.signals.knowledge import KnowledgeBase, knowledge_bases
from daemon.signals.parts import Parts
from providers.contract import Reach

DEFAULT: Final = "default"
AUTO_NAMES: Final = (AUTO, "MoM", "vllm-sr/auto")
"""Names that leave the choice to us: ours, and upstream's two."""
_REACH: Final[dict[str, Reach]] = {"vault": "device", "offline": "device"}
"""Built-in recipes whose promise is also held by the boundary, whatever their decisions say."""


NO_BASES: Final[Mapping[str, KnowledgeBase]] = MappingProxyType({})


class House(Struct, frozen=True):
    """What a recipe needs of the daemon. parts: what signals share, with a file's knowledge bases and the embedder that its
    thresholds are for. own_scale: whether all thresholds are taken for ours.
    """

    parts: Callable[[dict[str, KnowledgeBase], Embedder | None], Parts]
    failures: Mapping[str, OnFailure]
    deadline_s: float
    own_scale: bool = False


class Edition(Struct, frozen=True):
    """lives: by recipe, the file's own routing as `default`. entries: from model name to recipe. problems: of the file."""

    source: Source
    lives: Mapping[str, Live]
    entries: Mapping[str, str]
    problems: tuple[Problem, ...]

    def warm(self) -> None:
        """Have its signals open their models and learn their examples, so that the first request doesn't wait for that."""
        for live in self.lives.values():
            live.warm()

    def retire(self) -> None:
        """Another one takes its place."""
        for live in self.lives.values():
            live.retire()


def edition_of(source: Source, house: House, shared: Mapping[str, KnowledgeBase] = NO_BASES) -> Edition:
    """Read, check and compile; takes up to 0.3 s. shared: knowledge bases beside the file's own.

    Raises BadRecipe, BadRequest if a knowledge base can't be read.
    """
    if len(source.text) > MAX_BYTES:  # what comes over HTTP was not measured by who reads files
        raise too_large()
    loaded = load(source.text, source.form)
    file = loaded.recipe
    if not any(
        routing.decisions for _, routing in file.named()
    ):  # as when it is empty, or cut off while it was written
        remedy = "write one, or take a built-in recipe"
        raise BadRecipe((Problem(code="no-decision", message="this recipe decides nothing", remedy=remedy),))
    bases = dict(shared) | knowledge_bases(file.global_, source.folder)
    ours = house.own_scale or source.path is None  # the built-in ones were written here
    parts = house.parts(bases, None if ours else embedder_of(file.global_))
    known = known_of(file.routing, file.providers)
    reach = _REACH.get(source.name, "any") if source.path is None else "any"
    lives = {}
    for name, routing in file.named():
        title = source.name if source.path is None else name
        lives[name] = Live(title, routing, known, parts, house.failures, house.deadline_s, reach)
    entries = {model: entry.recipe for entry in file.entrypoints for model in entry.model_names}
    for name in AUTO_NAMES:
        entries.setdefault(name, DEFAULT)
    return Edition(source, lives, entries, (*loaded.problems, *missing(file, parts.bases, parts.classifiers)))

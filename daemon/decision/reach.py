"""Which rules of a recipe a decision can reach: only those are looked for."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from daemon.recipes.conditions import leaves
from daemon.recipes.model import Routing
from daemon.recipes.projections import KB_METRIC, PROJECTION
from daemon.recipes.signals import KnowledgeBase, RoleBinding, Rule, Signals
from daemon.recipes.vocabulary import FAMILIES


def reached(routing: Routing) -> Signals:
    """The recipe's signals without those that nothing can ask for."""
    asked = _Reach(routing).asked
    kept = {
        section: tuple(rule for rule in getattr(routing.signals, section) if _is_asked(family, rule, asked))
        for family, section in FAMILIES.items()
    }
    return msgspec.structs.replace(routing.signals, **kept)


def _is_asked(family: str, rule: Rule, asked: set[tuple[str, str]]) -> bool:
    if isinstance(rule, KnowledgeBase) and (KB_METRIC, rule.kb) in asked:
        return True
    names = (rule.name, rule.role) if isinstance(rule, RoleBinding) else (rule.name,)
    return any(
        type == family and any(written == name or written.startswith(f"{name}:") for name in names)
        for type, written in asked
    )


class _Reach:
    """(family, rule or `rule:label`) of all that decisions ask for, through projections and composers too."""

    def __init__(self, routing: Routing) -> None:
        self.asked: set[tuple[str, str]] = set()
        self._routing = routing
        self._sources = routing.projections.sources()
        for decision in routing.decisions:
            for leaf in leaves(decision.rules):
                self._ask(leaf.type, leaf.name)

    def _ask(self, type: str, name: str) -> None:
        if (type, name) in self.asked:
            return
        self.asked.add((type, name))
        for also_type, also in (*self._behind(type, name), *self._beside(type, name)):
            self._ask(also_type, also)

    def _behind(self, type: str, name: str) -> Iterator[tuple[str, str]]:
        """What a projection is reckoned from, what a level of complexity needs as well, what a mismatch names."""
        if type == PROJECTION:
            source = self._sources.get(name, name)
            for score in self._routing.projections.scores:
                for input in score.inputs if score.name == source else ():
                    yield (KB_METRIC, input.kb or "") if input.type == KB_METRIC else (input.type, input.name or "")
        for rule in self._routing.signals.complexity if type == "complexity" else ():
            if name == rule.name or name.startswith(f"{rule.name}:"):
                yield from ((leaf.type, leaf.name) for leaf in leaves(rule.composer))
        for image in self._routing.signals.images if type == "image" else ():
            if image.mismatch and (name == image.name or name.startswith(f"{image.name}:")):
                yield from (("domain", domain) for domain in image.mismatch.domains)

    def _beside(self, type: str, name: str) -> Iterator[tuple[str, str]]:
        """Members of a partition, of which one can take the match from another."""
        for partition in self._routing.projections.partitions if type in ("domain", "embedding") else ():
            if name in partition.members:
                yield from ((type, member) for member in partition.members)

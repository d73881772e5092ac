"""What a recipe file asks for that is not on this machine: each a warning with a name, and what happens instead."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from daemon.recipes.model import RecipeFile
from daemon.recipes.problems import Problem
from daemon.signals.own_classifiers import OwnClassifiers

_UNKNOWN: Final = "until then its conditions are unknown, and decisions go by their `on_unknown`"


def missing(file: RecipeFile, bases: Collection[str], classifiers: OwnClassifiers) -> Iterator[Problem]:
    """Knowledge bases and the user's own classifiers, each once. bases: the names of those that are here."""
    told: set[str] = set()
    for place, (_, routing) in enumerate(file.named()):
        prefix = "routing" if place == 0 else f"recipes[{place - 1}].routing"
        for number, rule in enumerate(routing.signals.kb):
            if rule.kb not in bases and rule.kb not in told:
                told.add(rule.kb)
                yield Problem(
                    code="missing-knowledge",
                    key=f"{prefix}.signals.kb[{number}].kb",
                    message=f"the knowledge base `{rule.kb}` is not here",
                    remedy="name a file whose global.model_catalog.kbs has it as routing.knowledge in settings.toml; "
                    + _UNKNOWN,
                    severity="warning",
                )
        for number, own in enumerate(routing.signals.classifiers):
            path = own.model_path
            if own.type == "local" and path and path not in told and not classifiers.has(path):
                told.add(path)
                yield Problem(
                    code="missing-classifier",
                    key=f"{prefix}.signals.classifiers[{number}].model_path",
                    message=f"the classifier `{path}` is not here",
                    remedy="put its folder below the one that signals.classifiers in settings.toml names; " + _UNKNOWN,
                    severity="warning",
                )

"""Which recipe a model name stands for, and the recipe file in use."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from daemon.decision.rules import AUTO
from daemon.errors import BadRequest, BadSettings, NotFound
from daemon.recipes.problems import BadRecipe
from daemon.routing.edition import AUTO_NAMES, Edition, House, edition_of
from daemon.routing.live import Live
from daemon.routing.sources import built_in, shared_bases, source
from daemon.settings import Routing, Settings
from daemon.signals.knowledge import KnowledgeBase

BUILT_IN: Final = {
    "nearloop/flash": "flash",
    "nearloop/light": "light",
    "nearloop/ultra": "ultra",
    "nearloop/vault": "vault",
}
"""Model names that are there whatever the settings say, and the built-in recipes that they stand for."""


class Book:
    """beside: the folder that a path in the settings is relative to."""

    def __init__(self, settings: Settings, beside: Path, house: House) -> None:
        """Raises BadSettings if they name a recipe that can't be used."""
        self._beside = beside
        self._house = house
        self._own: dict[str, Edition] = {}
        self._opening = asyncio.Lock()
        self.settings = settings
        self._bases = self._shared(settings.routing)
        self.edition = self._opened(settings.routing)

    def _shared(self, routing: Routing) -> dict[str, KnowledgeBase]:
        if routing.knowledge is None:
            return {}
        try:
            return shared_bases(routing.knowledge, self._beside)
        except (NotFound, BadRecipe, BadRequest) as error:
            raise BadSettings(f"[routing] knowledge = {routing.knowledge!r} can't be used: {error}") from error

    def _opened(self, routing: Routing) -> Edition | None:
        if routing.recipe is None:
            return None
        try:
            return edition_of(source(routing.recipe, self._beside), self._house, self._bases)
        except (NotFound, BadRecipe, BadRequest) as error:
            raise BadSettings(f"[routing] recipe = {routing.recipe!r} can't be used: {error}") from error

    @property
    def models(self) -> Mapping[str, str]:
        """The user's own meaning of models' names in recipes."""
        return self.settings.routing.models

    def names(self) -> tuple[str, ...]:
        """Model names that stand for a recipe; without the patterns of programs' names."""
        entries = tuple(self.edition.entries) if self.edition else ()
        return tuple(dict.fromkeys((*(name for name in entries if name not in AUTO_NAMES), *BUILT_IN)))

    def stands_for(self, model: str, client: str | None) -> str:
        """The name that is served here for one that a program asks for."""
        own = self.settings.clients.get(client) if client is not None else None
        for patterns in (own.names if own else {}, self.settings.routing.names):
            for pattern, name in patterns.items():
                if fnmatchcase(model, pattern):
                    return name
        if self.edition is None and model in AUTO_NAMES:
            return AUTO
        return model

    async def find(self, model: str) -> Live | None:
        """The recipe that decides about a model name; None if it names who answers, or `auto` without a recipe."""
        if self.edition is not None and (recipe := self.edition.entries.get(model)) is not None:
            return self.edition.lives[recipe]
        if model not in BUILT_IN:
            return None
        async with self._opening:
            name = BUILT_IN[model]
            if name not in self._own:
                self._own[name] = await asyncio.to_thread(edition_of, built_in(name), self._house)
            return next(iter(self._own[name].lives.values()))

    def close(self) -> None:
        """End their threads."""
        for edition in (*self._own.values(), *((self.edition,) if self.edition else ())):
            edition.retire()

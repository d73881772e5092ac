"""Which recipe a model name stands for, and the recipe file in use: read anew when it changes, and never given up for a
broken one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.decision.rules import AUTO
from daemon.errors import BadRequest, BadSettings, ChangedMeanwhile, NotFound, Refused
from daemon.paths import at_home, write_private
from daemon.recipes.check import RESERVED
from daemon.recipes.problems import BadRecipe
from daemon.routing.edition import AUTO_NAMES, Edition, House, edition_of
from daemon.routing.live import Live
from daemon.routing.shelf import Shelf, Version, Why
from daemon.routing.sources import Source, built_in, shared_bases, source
from daemon.settings import Routing, Settings
from daemon.signals.knowledge import KnowledgeBase

BUILT_IN: Final = {
    "nearloop/flash": "flash",
    "nearloop/light": "light",
    "nearloop/ultra": "ultra",
    "nearloop/vault": "vault",
}
"""Model names that are there whatever the settings say, and the built-in recipes that they stand for."""
LOOK_S: Final = 1.0
"""How often a recipe's file is looked at; a look takes 10 µs."""
log: Final = logging.getLogger("nearloop.routing")
_TROUBLE: Final = (NotFound, BadRecipe, BadRequest, Refused, OSError, ValueError, RecursionError)


class _Stamp(Struct, frozen=True):
    """What a file's change shows in."""

    modified_ns: int
    size: int
    inode: int


class Book:
    """beside: the folder that a path in the settings is relative to. changed: told of each new edition and each failure."""

    def __init__(
        self, settings: Settings, beside: Path, house: House, shelf: Shelf, changed: Callable[[], None] = lambda: None
    ) -> None:
        """Raises BadSettings if the settings name a recipe that can't be used, and none that was before."""
        self.settings = settings
        self.shelf = shelf
        self.failure: str | None = None
        """Why the recipe of the settings is not the one in use."""
        self.beside = beside
        self._house = house
        self._changed = changed
        self._own: dict[str, Edition] = {}
        self._one_at_a_time = asyncio.Lock()
        self._routing = settings.routing
        self._stamp = self._look()
        self._bases: dict[str, KnowledgeBase] = {}
        self.edition = self._at_start(settings.routing)

    # -- asked by requests

    @property
    def models(self) -> Mapping[str, str]:
        """The user's own meaning of models' names in recipes."""
        return self.settings.routing.models

    def names(self) -> tuple[str, ...]:
        """Model names that stand for a recipe; without the patterns of programs' names."""
        entries = tuple(self.edition.entries) if self.edition else ()
        return tuple(dict.fromkeys((*(name for name in entries if name not in AUTO_NAMES), *BUILT_IN)))

    def stands_for(self, model: str, client: str | None) -> str:
        """The name that is served here for one that a program asks for. Names of ours mean what they say: no pattern takes
        them, and those that say how far a request goes, not even their own name does.
        """
        if _says_who(model):
            return model
        if (mapped := self._mapped(model, client)) is not None:
            return mapped[1]
        if self.edition is None and model in AUTO_NAMES:
            return AUTO
        return model

    def names_it(self, model: str, client: str | None) -> bool:
        """Whether the settings map this name, and not just any name."""
        mapped = None if _says_who(model) else self._mapped(model, client)
        return mapped is not None and mapped[0].strip("*?") != ""

    def _mapped(self, model: str, client: str | None) -> tuple[str, str] | None:
        """The pattern that takes a name, and what it makes of it."""
        ours = model in AUTO_NAMES or model.partition("/")[0] in self.settings.providers
        own = self.settings.clients.get(client) if client is not None else None
        for patterns in (own.names if own else {}, self.settings.routing.names):
            for pattern, name in patterns.items():
                if model == pattern or (not ours and fnmatchcase(model, pattern)):
                    return pattern, name
        return None

    async def find(self, model: str) -> Live | None:
        """The recipe that decides about a model name; None if it names who answers, or `auto` without a recipe."""
        if self.edition is not None and (recipe := self.edition.entries.get(model)) is not None:
            return self.edition.lives[recipe]
        if model not in BUILT_IN:
            return None
        name = BUILT_IN[model]
        if name not in self._own:
            async with self._one_at_a_time:
                if name not in self._own:
                    self._own[name] = await asyncio.to_thread(edition_of, built_in(name), self._house)
        return next(iter(self._own[name].lives.values()))

    # -- changed while running

    async def watch(self) -> None:
        """Take changes of the file in, for ever."""
        while True:
            await asyncio.sleep(LOOK_S)
            stamp = self._look()
            if stamp != self._stamp and self.edition is not None:
                try:
                    await self.reload("file")
                except BadSettings as error:
                    log.warning("the recipe stays as it was: %s", type(error.__cause__).__name__)

    async def reload(self, why: Why = "settings") -> None:
        """Read what the settings name now. Raises BadSettings, and keeps what is in use."""
        async with self._one_at_a_time:
            routing = self.settings.routing
            self._stamp = self._look()
            try:
                bases = await asyncio.to_thread(self._shared, routing)
                edition = await asyncio.to_thread(self._opened, routing, bases)
            except BadSettings as error:
                self.failure = str(error)
                self._changed()
                raise
            if why == "file" and edition and self.edition and edition.source == self.edition.source:
                edition.retire()
                self.failure = None
                self._changed()
                return
            self._take(edition, routing, bases, why)

    async def write(self, text: str, digests: Collection[str] | None, why: Why = "api") -> None:
        """Put another text into the file in use. digests: of the one that it replaces, so that nobody's change is lost, or
        of several that it may replace; None: whatever is there.

        Raises BadRequest if the recipe in use is no file, ChangedMeanwhile, BadRecipe, OSError.
        """
        async with self._one_at_a_time:
            edition = self.edition
            if edition is None or edition.source.path is None:
                raise BadRequest("the recipe in use is no file: name one in settings.toml under [routing]", "recipe")
            on_disk = await asyncio.to_thread(source, edition.source.name, self.beside)
            if digests is not None and on_disk.digest not in digests:
                raise ChangedMeanwhile("the recipe was changed meanwhile: read it again, and send its ETag as If-Match")
            place = on_disk.path or edition.source.path  # a link may lead elsewhere by now
            new = Source(edition.source.name, text, on_disk.form, on_disk.folder, place)
            made = await asyncio.to_thread(edition_of, new, self._house, self._bases)
            await asyncio.to_thread(write_private, place, text.encode())
            self._stamp = self._look()
            self._take(made, self._routing, self._bases, why)

    async def roll_back(self, number: int, digests: Collection[str] | None) -> None:
        """Use an earlier version again. Raises NotFound, and what `write` raises."""
        name = self.settings.routing.recipe or ""
        await self.write(self.shelf.text(number, name), digests, "rollback")

    def check(self, text: str) -> Edition:
        """What a text would be in place of the one in use; retire it. Raises BadRecipe, BadRequest. Call it off the loop."""
        now = self.edition.source if self.edition else Source("", "", "yaml", self.beside)
        return edition_of(Source(now.name, text, now.form, now.folder, now.path), self._house, self._bases)

    def versions(self) -> tuple[Version, ...]:
        """Of the recipe in use, the newest last."""
        return self.shelf.of(self.settings.routing.recipe or "")

    def warm(self) -> None:
        """Have the recipe in use ready before the first request."""
        if self.edition is not None:
            self.edition.warm()

    def close(self) -> None:
        """End their threads."""
        for edition in (*self._own.values(), *((self.edition,) if self.edition else ())):
            edition.retire()

    # -- inside

    def _take(self, edition: Edition | None, routing: Routing, bases: dict[str, KnowledgeBase], why: Why) -> None:
        before, self.edition = self.edition, edition
        self._routing, self._bases, self.failure = routing, bases, None
        if before is not None:
            before.retire()
        if edition is not None:
            edition.warm()
            self._keep(edition.source, why)
        self._changed()

    def _keep(self, used: Source, why: Why) -> None:
        try:
            self.shelf.keep(used, why)
        except (OSError, Refused) as error:
            log.warning("the recipe's version was not kept: %s", type(error).__name__)

    def _at_start(self, routing: Routing) -> Edition | None:
        self._bases = self._shared(routing)
        try:
            edition = self._opened(routing, self._bases)
        except BadSettings as error:
            edition = self._last_good(routing, error)
        if edition is not None and self.failure is None:
            self._keep(edition.source, "start")
        return edition

    def _last_good(self, routing: Routing, error: BadSettings) -> Edition:
        name = routing.recipe or ""
        text = self.shelf.last(name)
        newest = next(reversed(self.shelf.of(name)), None)
        if text is None or newest is None:
            raise error
        path = self.beside / name
        try:
            edition = edition_of(Source(name, text, newest.form, path.parent, path), self._house, self._bases)
        except _TROUBLE:
            raise error from None
        self.failure = str(error)
        return edition

    def _shared(self, routing: Routing) -> dict[str, KnowledgeBase]:
        if routing.knowledge is None:
            return {}
        try:
            return shared_bases(routing.knowledge, self.beside)
        except _TROUBLE as error:
            raise BadSettings(f"[routing] knowledge = {routing.knowledge!r} can't be used: {error}") from error

    def _opened(self, routing: Routing, bases: dict[str, KnowledgeBase]) -> Edition | None:
        if routing.recipe is None:
            return None
        try:
            return edition_of(source(routing.recipe, self.beside), self._house, bases)
        except _TROUBLE as error:
            raise BadSettings(f"[routing] recipe = {routing.recipe!r} can't be used: {error}") from error

    def _look(self) -> _Stamp | None:
        recipe = self.settings.routing.recipe
        if recipe is None:
            return None
        try:
            found = (self.beside / at_home(recipe)).stat()
        except (OSError, Refused):
            return None
        return _Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


def _says_who(model: str) -> bool:
    """Whether a name says who answers, or keeps a promise, whatever anybody maps."""
    return model in RESERVED or model.startswith(tuple(f"{each}/" for each in RESERVED))

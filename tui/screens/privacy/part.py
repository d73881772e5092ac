"""One matter of the page: a table, and what is known of the row with the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from tui.link import Link
from tui.screens.base import Page
from tui.widgets.grid import Column
from tui.widgets.split import Split


class Part(Split):
    """A subclass gives `name_now`, `fetch`, `rows` and `detail`. HEARS: kinds of news after which it asks anew."""

    HEARS: ClassVar[frozenset[str]] = frozenset()
    COLUMNS: ClassVar[Sequence[Column]] = ()

    def __init__(self, link: Link) -> None:
        super().__init__(self.COLUMNS, type(self).__name__.lower())
        self.link = link
        self._asking = self._again = False

    @property
    def page(self) -> Page:
        """The one that it is part of."""
        return cast("Page", self.screen)

    def name_now(self) -> str:
        """What the strip calls it."""
        raise NotImplementedError

    async def fetch(self) -> None:
        """Ask the daemon."""
        raise NotImplementedError

    async def look(self) -> None:
        """Ask, and paint. Who wants it while it is under way has it done once more: no question waits in a crowd."""
        self._again = True
        if self._asking:
            return
        self._asking = True
        try:
            while self._again and self.is_attached:
                self._again = False
                await self.fetch()
                self.paint()
        finally:
            self._asking = False

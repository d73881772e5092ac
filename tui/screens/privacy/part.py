"""One matter of the page: a table, and what is known of the row with the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from tui.link import Link
from tui.screens.base import Page
from tui.widgets.detail import Detail
from tui.widgets.grid import Column, Grid, Row


class Part(Container):
    """A subclass gives `name_now`, `fetch`, `rows` and `detail`. HEARS: kinds of news after which it asks anew."""

    DEFAULT_CSS = """
    Part { layout: vertical; height: 1fr; }
    Part Grid { margin-right: 1; }
    Part Detail { height: 55%; border-top: solid $border; }
    Part Detail:focus { border-top: solid $primary; }
    .-wide Part { layout: horizontal; }
    .-wide Part Detail { height: 1fr; width: 45%; border-top: none; border-left: solid $border; }
    .-wide Part Detail:focus { border-top: none; border-left: solid $primary; }
    """
    SCOPED_CSS = False  # the page's breakpoint is a class of the page
    HEARS: ClassVar[frozenset[str]] = frozenset()
    COLUMNS: ClassVar[Sequence[Column]] = ()

    def __init__(self, link: Link) -> None:
        super().__init__(id=type(self).__name__.lower())
        self.link = link
        self._asking = self._again = False

    def compose(self) -> ComposeResult:
        yield Grid(self.COLUMNS)
        yield Detail()

    @property
    def page(self) -> Page:
        """The one that it is part of."""
        return cast("Page", self.screen)

    @property
    def key(self) -> str | None:
        """Of the row with the cursor."""
        return self.query_one(Grid).key

    def name_now(self) -> str:
        """What the strip calls it."""
        raise NotImplementedError

    async def fetch(self) -> None:
        """Ask the daemon."""
        raise NotImplementedError

    def rows(self) -> list[Row]:
        """What the table has."""
        raise NotImplementedError

    def detail(self, width: int) -> list[Content]:
        """What is known of the row with the cursor, for so many cells."""
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

    def paint(self) -> None:
        """All of it, unless the screen is being taken down while an answer comes."""
        if not self.is_attached or not self.query(Grid):
            return
        self.query_one(Grid).show(self.rows())
        self.query_one(Detail).show(self.key, self.detail)

    @on(Grid.Moved)
    def _on_moved(self) -> None:
        self.moved()

    def moved(self) -> None:
        """The cursor stands on another row."""
        self.query_one(Detail).show(self.key, self.detail)

    @on(Grid.Chosen)
    def _on_chosen(self, chosen: Grid.Chosen) -> None:
        if not isinstance(chosen, Grid.Moved):
            self.chosen()

    def chosen(self) -> None:
        """Enter, or a second click: read what is known of it."""
        self.query_one(Detail).focus()

    def enter(self) -> None:
        """It comes to the front."""
        self.query_one(Grid).focus()

"""A table, and what is known of the row with the cursor: beside it where there is room, else below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from tui.widgets.detail import Detail
from tui.widgets.grid import Column, Grid, Row

WIDTHS: Final = [(0, "-normal"), (140, "-wide")]
"""HORIZONTAL_BREAKPOINTS of a page with such tables: from which width on a row's detail stands beside the table."""


class Split(Container):
    """A subclass gives `rows` and `detail`, and calls `paint` when they have changed."""

    DEFAULT_CSS = """
    Split { layout: vertical; height: 1fr; }
    Split Grid { margin-right: 1; }
    Split Detail { height: 50%; border-top: solid $border; }
    Split Detail:focus { border-top: solid $primary; }
    .-wide Split { layout: horizontal; }
    .-wide Split Detail { height: 1fr; width: 45%; max-width: 84; border-top: none; border-left: solid $border; }
    .-wide Split Detail:focus { border-top: none; border-left: solid $primary; }
    """
    SCOPED_CSS = False  # the page's breakpoint is a class of the page

    def __init__(self, columns: Sequence[Column], id: str) -> None:
        super().__init__(id=id)
        self._columns = columns

    def compose(self) -> ComposeResult:
        yield Grid(self._columns)
        yield Detail()

    @property
    def key(self) -> str | None:
        """Of the row with the cursor."""
        return self.query_one(Grid).key

    def rows(self) -> list[Row]:
        """What the table has."""
        raise NotImplementedError

    def detail(self, width: int) -> list[Content]:
        """What is known of the row with the cursor, for so many cells."""
        raise NotImplementedError

    def paint(self) -> None:
        """All of it, unless it is being taken down while an answer comes."""
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

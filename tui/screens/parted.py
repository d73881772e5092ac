"""Screens of one table and what is known of the row with the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.screens.base import Page
from tui.widgets.grid import Column, Row
from tui.widgets.split import WIDTHS, Split


class Parted(Page):
    """A subclass gives `rows`, `line` and `detail`, and calls `paint` when they have changed."""

    DEFAULT_CSS = """
    Parted #line { height: 1; padding: 0 1; background: $surface; }
    """
    HORIZONTAL_BREAKPOINTS = WIDTHS
    COLUMNS: ClassVar[Sequence[Column]] = ()

    def body(self) -> ComposeResult:
        yield Static(id="line")
        yield _Whole(self)

    def on_mount(self) -> None:
        self.query_one(Split).enter()

    @property
    def key(self) -> str | None:
        """Of the row with the cursor."""
        return self.query_one(Split).key

    @property
    def edition(self) -> tuple[object, ...]:
        """Another one when the daemon began anew or its settings changed: what takes a moment is asked again only then."""
        picture = self.link.picture
        changed = picture.news.get("settings")
        return (picture.status.started_at if picture.status else None, changed.seq if changed else 0)

    def rows(self) -> list[Row]:
        """What the table has."""
        raise NotImplementedError

    def line(self) -> Content:
        """How things stand, above the table."""
        raise NotImplementedError

    def detail(self, width: int) -> list[Content]:
        """What is known of the row with the cursor, for so many cells."""
        raise NotImplementedError

    def paint(self) -> None:
        """All of it, unless the screen is being taken down while an answer comes."""
        if not self.query(Split):
            return
        self.query_one(Split).paint()
        self.query_one("#line", Static).update(self.line())


class _Whole(Split):
    """The table of a screen that has no other."""

    def __init__(self, page: Parted) -> None:
        super().__init__(page.COLUMNS, "rows")
        self._page = page

    def rows(self) -> list[Row]:
        return self._page.rows()

    def detail(self, width: int) -> list[Content]:
        return self._page.detail(width)

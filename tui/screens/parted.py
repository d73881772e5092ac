"""Screens of one table and what is known of the row with the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from tui.screens.base import Page
from tui.widgets.detail import Detail
from tui.widgets.grid import Column, Grid, Row


class Parted(Page):
    """A subclass gives `rows`, `line` and `detail`, and calls `paint` when they have changed."""

    DEFAULT_CSS = """
    Parted #line { height: 1; padding: 0 1; background: $surface; }
    Parted #parts { layout: vertical; height: 1fr; }
    Parted Grid { margin-right: 1; }
    Parted Detail { height: 11; border-top: solid $border; }
    Parted Detail:focus { border-top: solid $primary; }
    Parted.-tall Detail { height: 18; }
    Parted.-wide #parts { layout: horizontal; }
    Parted.-wide Detail { height: 1fr; width: 76; border-top: none; border-left: solid $border; }
    Parted.-wide Detail:focus { border-top: none; border-left: solid $primary; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (150, "-wide")]  # noqa: RUF012  # as Textual has it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (34, "-tall")]  # noqa: RUF012
    COLUMNS: ClassVar[Sequence[Column]] = ()

    def body(self) -> ComposeResult:
        yield Static(id="line")
        with Container(id="parts"):
            yield Grid(self.COLUMNS, id="rows")
            yield Detail()

    def on_mount(self) -> None:
        self.query_one(Grid).focus()

    @property
    def key(self) -> str | None:
        """Of the row with the cursor."""
        return self.query_one(Grid).key

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
        if not self.query(Grid):
            return
        self.query_one(Grid).show(self.rows())
        self.query_one("#line", Static).update(self.line())
        self.query_one(Detail).show(self.key, self.detail)

    @on(Grid.Moved, "#rows")
    def _moved(self) -> None:
        self.query_one(Detail).show(self.key, self.detail)

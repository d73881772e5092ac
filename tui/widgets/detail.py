"""What is known of the row with the cursor: beside its table where there is room, else below."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

Drawing = Callable[[int], list[Content]]


class Detail(VerticalScroll, can_focus=True):
    """Shows what a function draws for its width."""

    DEFAULT_CSS = """
    Detail { padding: 0 1; scrollbar-size-vertical: 1; }
    Detail Static { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._drawing: Drawing = lambda width: []
        self._key: str | None = None

    def compose(self) -> ComposeResult:
        yield Static()

    def show(self, key: str | None, drawing: Drawing) -> None:
        """Another one, or the same with other words. key: of the row."""
        if key != self._key:
            self._key = key
            self.scroll_home(animate=False)
        self._drawing = drawing
        self._paint()

    def on_resize(self, event: Resize) -> None:
        self._paint()

    def _paint(self) -> None:
        width = self.scrollable_content_region.width
        if width >= 20:
            self.query_one(Static).update(Content("\n").join(self._drawing(width)))

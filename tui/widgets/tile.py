"""One number, with its name above and what it rests on below."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.tones import STYLES, Toned
from tui.words import plain


class Tile(Static):
    """Three lines."""

    DEFAULT_CSS = """
    Tile { height: 3; width: 1fr; padding: 0 1; background: $surface; }
    """

    def __init__(self, name: str, *, id: str) -> None:
        super().__init__(id=id)
        self._title = name

    def tell(self, number: Toned, below: str, name: str | None = None) -> None:
        """Other words. name: None: as before."""
        self._title = name or self._title
        self.update(
            Content.assemble(
                (self._title, "$muted"),
                "\n",
                (plain(number.words), f"bold {STYLES[number.tone]}".strip()),
                "\n",
                (plain(below), "$muted"),
            )
        )

"""The line in which one types what is looked for: below a table, and there only while one types."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.widgets.grid import Grid


class Search(Input):
    """It tells each letter as `Changed`. Its page has an action `clear`, which shows all again."""

    DEFAULT_CSS = """
    Search, Search.-textual-compact { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    Search.-open, Search.-textual-compact.-open { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "To the table"),
        Binding("escape", "screen.clear", "Show all"),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, compact=True)

    def begin(self) -> None:
        """Type, or type on."""
        self.add_class("-open")
        self.focus()

    def end(self) -> None:
        """To the table; what was typed counts on."""
        self.remove_class("-open")
        self.screen.query_one(Grid).focus()

    def clear_all(self) -> None:
        """Nothing is looked for any more."""
        self.value = ""
        self.end()

    def on_input_submitted(self) -> None:
        self.end()

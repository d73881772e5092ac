"""Something to read, and a yes if it asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.widgets.detail import Detail
from tui.words import plain


class Reading(ModalScreen[bool]):
    """Gives True for yes. lines: drawn for a width. yes: what is done then; None: it only tells. copies: what `y` copies
    where no yes is asked for.
    """

    DEFAULT_CSS = """
    Reading .card { width: 90%; max-width: 104; height: auto; }
    Reading Detail { height: auto; max-height: 55vh; margin-top: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "No"),
        Binding("y", "yes", "Yes"),
        Binding("enter", "close", "Close", show=False),
    ]

    def __init__(
        self, title: str, lines: Callable[[int], list[Content]], yes: str | None = None, copies: Iterable[str] = ()
    ) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._yes = yes
        self._copies = tuple(copies)

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled(plain(self._title), "bold $primary"))
            yield Detail()
            yield Static(self._keys(), classes="gap")

    def _keys(self) -> Content:
        parts: list[str | tuple[str, str]] = []
        if self._yes is not None:
            parts += [("y", "bold $accent"), f" {self._yes}   ", ("n", "bold $accent"), " leave it"]
        else:
            if self._copies:
                parts += [("y", "bold $accent"), " copy   "]
            parts += [("esc", "bold $accent"), " close"]
        return Content.assemble(*parts, "   ", ("↑↓", "bold $accent"), " scroll")

    def on_mount(self) -> None:
        detail = self.query_one(Detail)
        detail.show("", self._lines)
        detail.focus()

    def action_answer(self, yes: bool) -> None:
        """By key."""
        self.dismiss(yes)

    def action_close(self) -> None:
        """What only tells is closed by it; a yes is not given by the key that scrolls lists elsewhere."""
        if self._yes is None:
            self.dismiss(False)

    def action_yes(self) -> None:
        """Do it, or copy what was told."""
        if self._yes is not None:
            self.dismiss(True)
        elif self._copies:
            self.app.copy_to_clipboard("\n".join(self._copies))
            self.notify("Copied")

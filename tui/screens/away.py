"""The calm screen that stands in front while no daemon answers."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.link import Link
from tui.words import plain


class Away(ModalScreen[None]):
    """Says what to run, and goes by itself when the daemon is there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Look at what is here"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled("Waiting for Nearloop", "bold $primary"))
            yield Static(plain(self._link.trouble or ""), markup=False, classes="gap")
            yield Static(Content.assemble("In another terminal:  ", ("nearloop up -d", "bold $accent")), classes="gap")
            yield Static(Content.styled("This screen looks for it every second, and goes when it is there.", "$muted"))
            keys = Content.assemble(("esc", "bold $accent"), " look at what is here   ", ("q", "bold $accent"), " quit")
            yield Static(keys, classes="gap")

"""A token, shown this once."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from daemon import wire


class Token(ModalScreen[None]):
    """It is in the clipboard already; when this is closed, nobody has it but who took it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "dismiss", "Close"),
        Binding("y", "copy", "Copy"),
    ]

    def __init__(self, made: wire.NewToken, url: str) -> None:
        super().__init__()
        self._made = made
        self._url = url

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled(f"The token of {self._made.name}", "bold $primary"))
            yield Static(Content.styled(self._made.token, "bold $accent"), classes="gap")
            yield Static(Content(f"It may: {', '.join(self._made.scopes)}"), classes="gap")
            yield Static(Content(f"Programs ask at {self._url}/v1"))
            yield Static(Content.styled("It is copied, and not shown again.", "$warning"), classes="gap")
            keys = Content.assemble(("y", "bold $accent"), " copy again   ", ("esc", "bold $accent"), " close")
            yield Static(keys, classes="gap")

    def on_mount(self) -> None:
        self.action_copy()

    def action_copy(self) -> None:
        """To the terminal's clipboard."""
        self.app.copy_to_clipboard(self._made.token)

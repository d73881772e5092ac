"""A question that takes a line of words."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class Ask(ModalScreen[str]):
    """Gives what was typed; None: nothing was. secret: what is typed is not shown, now or later."""

    DEFAULT_CSS = """
    Ask Input { margin-top: 1; width: 64; max-width: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, title: str, about: str = "", placeholder: str = "", secret: bool = False) -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._placeholder = placeholder
        self._secret = secret

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled(self._title, "bold $primary"))
            if self._about:
                yield Static(Content.styled(self._about, "$muted"), classes="gap")
            yield Input(placeholder=self._placeholder, password=self._secret)
            keys = Content.assemble(("enter", "bold $accent"), " go on   ", ("esc", "bold $accent"), " cancel")
            yield Static(keys, classes="gap")

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        if words := submitted.value.strip():
            self.dismiss(words)

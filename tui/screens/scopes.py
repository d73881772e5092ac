"""What a new token may be used for."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from tui.tables.clients import SCOPES, USUAL


class Scopes(ModalScreen[tuple[str, ...]]):
    """Gives those that were chosen, at least one; None: none were. name: whose token it is."""

    DEFAULT_CSS = """
    Scopes SelectionList { height: auto; width: 66; max-width: 100%; margin-top: 1; border: none; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("enter", "done", "Make it", priority=True),
    ]

    def __init__(self, client: str) -> None:
        super().__init__()
        self._client = client

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled(f"What may {self._client} do?", "bold $primary"))
            yield SelectionList[str](
                *(
                    Selection(Content(f"{name:13} {about}"), name, initial_state=name in USUAL)
                    for name, about in SCOPES.items()
                )
            )
            keys = Content.assemble(
                ("space", "bold $accent"), " turn   ", ("enter", "bold $accent"), " make the token   ",
                ("esc", "bold $accent"), " cancel",
            )  # fmt: skip
            yield Static(keys, classes="gap")

    def action_done(self) -> None:
        """With what is chosen."""
        chosen = self.query_one(SelectionList).selected
        if chosen:
            self.dismiss(tuple(name for name in SCOPES if name in chosen))
        else:
            self.notify("A token has to be good for something", severity="warning")

"""What a new token may be used for."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.tables.clients import SCOPES, USUAL
from tui.tones import Toned
from tui.widgets.grid import Column, Grid, Row

_COLUMNS: Final = (Column("", 3), Column("Scope", 12), Column("It may", 44))


class Scopes(ModalScreen[tuple[str, ...]]):
    """Gives those that were chosen, at least one; None: none were. client: whose token it is."""

    DEFAULT_CSS = """
    Scopes Grid { height: 5; width: 67; max-width: 100%; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("enter", "done", "Make the token", priority=True),
        Binding("space", "turn", "Turn"),
    ]

    def __init__(self, client: str) -> None:
        super().__init__()
        self._client = client
        self._chosen = set(USUAL)

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled(f"What may {self._client} do?", "bold $primary"))
            yield Grid(_COLUMNS)
            keys = Content.assemble(
                ("space", "bold $accent"), " turn   ", ("enter", "bold $accent"), " make the token   ",
                ("esc", "bold $accent"), " cancel",
            )  # fmt: skip
            yield Static(keys, classes="gap")

    def on_mount(self) -> None:
        self._paint()
        self.query_one(Grid).focus()

    def _paint(self) -> None:
        self.query_one(Grid).show([Row(name, self._row(name, about)) for name, about in SCOPES.items()])

    def _row(self, name: str, about: str) -> tuple[Toned, ...]:
        chosen = name in self._chosen
        mark = Toned("[✓]", "good") if chosen else Toned("[ ]", "muted")
        return (mark, Toned(name, "plain" if chosen else "muted"), Toned(about, "warn" if name == "admin" else "muted"))

    @on(Grid.Chosen)
    def _clicked(self, chosen: Grid.Chosen) -> None:
        if not isinstance(chosen, Grid.Moved):
            self.action_turn()

    def action_turn(self) -> None:
        """The one with the cursor."""
        if (name := self.query_one(Grid).key) is not None:
            self._chosen ^= {name}
            self._paint()

    def action_done(self) -> None:
        """With what is chosen."""
        if self._chosen:
            self.dismiss(tuple(name for name in SCOPES if name in self._chosen))
        else:
            self.notify("A token has to be good for something", severity="warning")

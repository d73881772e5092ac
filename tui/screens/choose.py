"""A question that takes one of several names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.words import plain


class Choose(ModalScreen[str]):
    """Gives the one that was chosen; None: none was."""

    DEFAULT_CSS = """
    Choose OptionList { margin-top: 1; width: 48; max-height: 16; border: none; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, title: str, names: Sequence[str], now: str | None = None) -> None:
        super().__init__()
        self._title = title
        self._names = tuple(names)
        self._now = now

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(Content.styled(self._title, "bold $primary"))
            yield OptionList(*(Option(Content(plain(name))) for name in self._names))

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = self._names.index(self._now) if self._now in self._names else 0
        options.focus()

    def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        self.dismiss(self._names[selected.option_index])

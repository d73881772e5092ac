"""The page of help: every key that works on the screen behind it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tui.registry import SCREENS
from tui.screens.base import Page


class Help(ModalScreen[None]):
    """Over `behind`, whose keys it lists."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Close", key_display="esc"),
    ]

    def __init__(self, behind: Screen[object]) -> None:
        super().__init__()
        self._behind = behind

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="card help"):
            if isinstance(self._behind, Page) and self._behind.HELP_LINES:
                for line in self._behind.HELP_LINES:
                    yield Static(line, markup=False)
                yield Static("")
            yield Static(Content.styled("Screens", "bold $primary"))
            yield from (_line(entry.key, entry.title, entry.about) for entry in SCREENS)
            here, everywhere = self._keys()
            if here:
                yield Static(Content.styled("Here", "bold $primary"), classes="gap")
                yield from here
            yield Static(Content.styled("Everywhere", "bold $primary"), classes="gap")
            yield from everywhere
            yield Static(Content.styled("esc closes this", "$muted"), classes="gap")

    def _keys(self) -> tuple[list[Static], list[Static]]:
        here: dict[tuple[object, str], list[str]] = {}
        everywhere: dict[tuple[object, str], list[str]] = {}
        opens = {f"open('{entry.name}')" for entry in SCREENS}
        for key, active in self._behind.active_bindings.items():
            binding = active.binding
            if (
                binding.action in opens
                or not binding.description
                or not active.enabled
                or _is_the_terminals(key, binding)
            ):
                continue
            group = everywhere if active.node is self.app else here
            group.setdefault((active.node, binding.description), []).append(self.app.get_key_display(binding))
        return _lines(here), _lines(everywhere)


def _is_the_terminals(key: str, binding: Binding) -> bool:
    """Copying and scrolling, which everybody knows."""
    return key.endswith("+c") or binding.description.startswith(("Scroll ", "Page "))


def _lines(keys: dict[tuple[object, str], list[str]]) -> list[Static]:
    return [_line(" ".join(dict.fromkeys(shown)), words, "") for (_, words), shown in keys.items()]


def _line(key: str, words: str, about: str) -> Static:
    return Static(Content.assemble((f" {key:>9}  ", "bold $accent"), f"{words:14}", (about, "$muted")))

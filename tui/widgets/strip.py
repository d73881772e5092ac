"""The names of a page's parts in one line, of which one is in front."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from tui.words import plain


class Strip(Widget):
    """A click on a name asks for its part."""

    DEFAULT_CSS = """
    Strip { height: 1; padding: 0 1; background: $surface; }
    """

    class Wanted(Message):
        """The part of that number, from 0."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._names: tuple[str, ...] = ()
        self._front = 0

    def tell(self, names: Sequence[str], front: int) -> None:
        """Names as they are now, and which one is in front."""
        if (tuple(names), front) != (self._names, self._front):
            self._names, self._front = tuple(names), front
            self.refresh()

    def render(self) -> Content:
        return Content.assemble(
            *(
                (f" {plain(name)} ", "bold reverse $primary" if number == self._front else "$muted")
                for number, name in enumerate(self._names)
            )
        )

    def on_click(self, event: Click) -> None:
        end = self.styles.padding.left
        for number, name in enumerate(self._names):
            end += Content(plain(name)).cell_length + 2
            if event.x < end:
                self.post_message(self.Wanted(number))
                return

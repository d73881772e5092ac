"""The bar above: the screens as tabs, and how things stand."""

from __future__ import annotations

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from tui.link import Link
from tui.registry import SCREENS, Entry


class TopBar(Widget):
    """One line, of which a click on a tab opens its screen."""

    class Wanted(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._places: list[tuple[int, int, str]] = []  # from column, to column, name

    def render(self) -> Content:
        right = self._standing()
        room = self.size.width - right.cell_length - 1
        left = Content.assemble((" ◖nearloop◗ ", "bold $primary"))
        tabs = self._tabs(room - left.cell_length)
        start = left.cell_length
        self._places = []
        for tab, words in tabs:
            self._places.append((start, start + words.cell_length, tab.name))
            start += words.cell_length
        left = Content.assemble(left, *(words for _, words in tabs))
        gap = max(1, self.size.width - left.cell_length - right.cell_length)
        return Content.assemble(left, " " * gap, right)

    def _tabs(self, room: int) -> list[tuple[Entry, Content]]:
        """As long as they may be: titles, then the key alone but for the one in front."""
        here = self.app.current_mode
        whole = [(tab, _tab(tab, tab.name == here, True)) for tab in SCREENS]
        if sum(words.cell_length for _, words in whole) <= room:
            return whole
        return [(tab, _tab(tab, tab.name == here, tab.name == here)) for tab in SCREENS]

    def _standing(self) -> Content:
        if self._link.trouble is not None:
            return Content.assemble((" not connected ", "$warning"))
        picture = self._link.picture
        parts = []
        if picture.waiting_count:
            parts.append((f" ? {picture.waiting_count} wait for you ", "bold $warning"))
        if picture.running:
            parts.append((f" ● {len(picture.running)} running ", "$success"))
        if any(each.to is not None for each in picture.running.values()):
            parts.append((" ↗ leaving ", "bold $warning"))
        parts.append((" ⌂ local-only ", "bold $success") if picture.local_only else (" local-only off ", "$muted"))
        return Content.assemble(*parts)

    def on_click(self, event: Click) -> None:
        for start, end, name in self._places:
            if start <= event.x < end:
                self.post_message(self.Wanted(name))


def _tab(tab: Entry, in_front: bool, titled: bool) -> Content:
    words = f" {tab.key} {tab.title} " if titled else f" {tab.key} "
    return Content.styled(words, "bold reverse $primary" if in_front else "$muted")

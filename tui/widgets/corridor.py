"""One request as a picture: its panels, under each other, or in two columns where there is room."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from daemon import wire
from tui.link import TROUBLE, Link
from tui.panels.registry import PANELS
from tui.panels.writing import said
from tui.tones import Toned
from tui.words import lasted

_TWO: Final = 150
"""From so many cells on, panels stand in two columns."""


class Corridor(VerticalScroll, can_focus=True):
    """Shows a request by its id: one that runs by what is known of it, one that ended from the record."""

    DEFAULT_CSS = """
    Corridor { padding: 0 1; height: 1fr; scrollbar-gutter: stable; }
    Corridor Static { height: auto; }
    Corridor .heading { color: $primary; text-style: bold; margin-top: 1; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._key: str | None = None
        self._drawn: tuple[wire.Record, int] | None = None
        self._fetched: wire.Record | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="picture")

    def show(self, key: str | None, anew: bool = False) -> None:
        """The request of that id, or none. anew: records were deleted, perhaps that one."""
        if key != self._key:
            self._key, self._drawn, self._fetched = key, None, None
            self.scroll_home(animate=False)
        elif anew:
            self._fetched = None
        self._paint()

    def on_resize(self, event: Resize) -> None:
        self._paint()

    def _paint(self) -> None:
        width = self.scrollable_content_region.width
        picture = self._link.picture
        record = picture.records.get(self._key or "") or self._fetched
        if width < 20:
            return
        if record is not None:
            if self._drawn != (record, width):
                self._drawn = (record, width)
                self.query_one("#picture", Static).update(drawn(record, width))
            return
        self._drawn = None
        if running := picture.running.get(self._key or ""):
            for_ms = (self._link.now() - running.at).total_seconds() * 1000
            words = said(Toned("● ", "accent"), f"running for {lasted(max(0.0, for_ms))}: its picture comes at the end")
            self.query_one("#picture", Static).update(words)
        elif self._key is None:
            self.query_one("#picture", Static).update(said(Toned("no request yet", "muted")))
        else:
            self.run_worker(self._fetch(self._key), exclusive=True, group="fetch")

    async def _fetch(self, key: str) -> None:
        """A record that is older than what is held here."""
        try:
            found = await self._link.call(lambda client: client.record(key))
        except TROUBLE as trouble:
            self.query_one("#picture", Static).update(said(Toned(str(trouble), "warn")))
            return
        if key == self._key:
            self._fetched = found.record
            self._paint()


def drawn(record: wire.Record, width: int) -> Content:
    """All panels, for so many cells."""
    if width < _TWO:
        return Content("\n").join(
            line for panel in PANELS for line in _with_title(panel.title, panel.lines(record, width))
        )
    half = (width - 4) // 2
    head = PANELS[0].lines(record, width)
    columns: tuple[list[Content], list[Content]] = ([], [])
    for panel in PANELS[1:]:
        shorter = min(columns, key=len)
        shorter.extend(_with_title(panel.title, panel.lines(record, half)))
    rows = max(len(columns[0]), len(columns[1]))
    left, right = (column + [Content("")] * (rows - len(column)) for column in columns)
    joined = [_side_by_side(one, other, half) for one, other in zip(left, right, strict=True)]
    return Content("\n").join([*head, *joined])


def _with_title(title: str, lines: list[Content]) -> list[Content]:
    if not title or not lines:
        return lines
    return [Content(""), Content.styled(title, "bold $primary"), *lines]


def _side_by_side(one: Content, other: Content, half: int) -> Content:
    one = one.truncate(half, ellipsis=True)
    return Content.assemble(one, " " * (half - one.cell_length + 4), other)

"""A table of many rows, of which only those in view are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple, get_args

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.tones import VARIABLES, Tone, Toned
from tui.words import plain

_GAP: Final = 2
_MARKER: Final = 2


class Column(NamedTuple):
    """title, and how many cells. rank: those of the highest rank go first where room is short; 0 never goes.

    grows: its part of the room that is left over.
    """

    title: str
    width: int
    rank: int = 0
    right: bool = False
    grows: int = 0


class Row(NamedTuple):
    """key: by which the cursor finds it again when rows come and go."""

    key: str
    cells: tuple[Toned, ...]


class Grid(ScrollView, can_focus=True):
    """Rows under a head that stays. The cursor keeps its row while others come, or the first place if it stood there."""

    DEFAULT_CSS = """
    Grid { height: 1fr; width: 1fr; overflow-x: hidden; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    Grid > .grid--head { color: $muted; text-style: bold; }
    Grid > .grid--cursor { background: $panel; }
    Grid:focus > .grid--cursor { background: $primary 30%; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"grid--head", "grid--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "A page up", show=False),
        Binding("pagedown", "page(1)", "A page down", show=False),
        Binding("home,g", "first", "First", show=False),
        Binding("end,G", "last", "Last", show=False),
        Binding("enter", "choose", "Open"),
    ]

    class Chosen(Message):
        """Enter, or a click on the row with the cursor."""

        def __init__(self, grid: Grid, key: str) -> None:
            super().__init__()
            self.grid = grid
            self.key = key

        @property
        def control(self) -> Grid:
            return self.grid

    class Moved(Chosen):
        """The cursor stands on another row."""

    def __init__(self, columns: Sequence[Column], *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._columns = tuple(columns)
        self._rows: Sequence[Row] = ()
        self._cursor = 0
        self._layout: list[tuple[int, int]] = []
        """Index and width of each column that is shown."""
        self._looks: tuple[Style, Style, list[tuple[int, int]], str] | None = None
        """What all lines rest on: the ground, the ground under the cursor, the columns, the theme."""
        self._inks: dict[Tone, Style] = dict.fromkeys(get_args(Tone), Style.null())
        self._drawn: dict[str, tuple[tuple[Toned, ...], Strip]] = {}
        """Lines as they were drawn for these looks, by their rows' keys."""

    @property
    def rows(self) -> Sequence[Row]:
        """All of them."""
        return self._rows

    @property
    def key(self) -> str | None:
        """Of the row with the cursor; None: there are no rows."""
        return self._rows[self._cursor].key if self._rows else None

    def show(self, rows: Sequence[Row]) -> None:
        """Other rows, or the same with other words."""
        before, at = self.key, self._cursor
        self._rows = rows
        self._cursor = self._found(before, at)
        self.virtual_size = Size(self._room, len(rows) + 1)
        if at and self._cursor != at:  # rows came above it: it stays where the eye is
            self.scroll_to(y=self.scroll_offset.y + self._cursor - at, animate=False, immediate=True)
        if self.key != before and self.key is not None:
            self.post_message(self.Moved(self, self.key))
        self.refresh()

    def _found(self, key: str | None, at: int) -> int:
        if at == 0 or not self._rows:
            return 0
        places = (index for index, row in enumerate(self._rows) if row.key == key)
        return next(places, min(at, len(self._rows) - 1))

    def on_resize(self, event: Resize) -> None:
        self._layout = fitted(self._columns, self._room - _MARKER)
        self.virtual_size = Size(self._room, len(self._rows) + 1)

    @property
    def _room(self) -> int:
        """Cells in a line, beside the scroll bar's place."""
        return self.scrollable_content_region.width

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in view, with styles that are looked up once for all of them."""
        looks = (self.rich_style, self.get_component_rich_style("grid--cursor"), self._layout, self.app.theme)
        if looks != self._looks:
            self._looks = looks
            self._inks = {tone: self._ink(tone) for tone in get_args(Tone)}
            self._drawn = {}
        elif len(self._drawn) > 4 * self.size.height + 100:
            self._drawn = {}
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self._room
        if y == 0:
            cells = [Toned(column.title) for column in self._columns]
            return self._line(cells, self.get_component_rich_style("grid--head"), "  ", width)
        index = y - 1 + self.scroll_offset.y
        ground, under_cursor = self._looks[:2] if self._looks else (self.rich_style, self.rich_style)
        if index >= len(self._rows):
            return Strip.blank(width, ground)
        row = self._rows[index]
        if index == self._cursor:
            return self._line(row.cells, under_cursor, "▌ ", width)
        if (drawn := self._drawn.get(row.key)) is None or drawn[0] is not row.cells:
            drawn = self._drawn[row.key] = (row.cells, self._line(row.cells, ground, "  ", width))
        return drawn[1]

    def _line(self, cells: Sequence[Toned], ground: Style, marker: str, width: int) -> Strip:
        segments = [Segment(marker, ground + self._inks["accent"])]
        for place, (index, room) in enumerate(self._layout):
            cell = cells[index]
            words = _cut(plain(cell.words), room, self._columns[index].right)
            segments.append(Segment(words, ground + self._inks[cell.tone]))
            if place < len(self._layout) - 1:
                segments.append(Segment(" " * _GAP, ground))
        return Strip(segments).adjust_cell_length(width, ground)

    def _ink(self, tone: Tone) -> Style:
        if tone == "strong":
            return Style(bold=True)
        if tone not in VARIABLES:
            return Style.null()
        return Style(color=self.app.theme_variables[VARIABLES[tone]])

    def action_move(self, by: int) -> None:
        """By so many rows."""
        self._go(self._cursor + by)

    def action_page(self, by: int) -> None:
        """By what is in view."""
        self._go(self._cursor + by * max(1, self.size.height - 2))

    def action_first(self) -> None:
        """To the newest, and stay with it."""
        self._go(0)

    def action_last(self) -> None:
        """To the end."""
        self._go(len(self._rows) - 1)

    def action_choose(self) -> None:
        """Open what the cursor stands on."""
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key))

    def _go(self, to: int) -> None:
        to = max(0, min(to, len(self._rows) - 1))
        if not self._rows or to == self._cursor:
            return
        self._cursor = to
        self.scroll_to_region(Region(0, to, 1, 2 if to else 1), animate=False, immediate=True, force=True)
        self.post_message(self.Moved(self, self._rows[to].key))
        self.refresh()

    def on_click(self, event: Click) -> None:
        index = event.y - 1 + self.scroll_offset.y
        if event.y < 1 or index >= len(self._rows):
            return
        if index == self._cursor:
            self.action_choose()
        else:
            self._go(index)


def fitted(columns: Sequence[Column], room: int) -> list[tuple[int, int]]:
    """Which columns are shown, and how wide: those of high rank go until the rest fits, and what is left over is shared."""
    shown = list(range(len(columns)))
    while len(shown) > 1 and _needed(columns, shown) > room:
        dropped = max(shown, key=lambda index: (columns[index].rank, index))
        if columns[dropped].rank == 0:
            break
        shown.remove(dropped)
    left = max(0, room - _needed(columns, shown))
    parts = sum(columns[index].grows for index in shown)
    return [(index, columns[index].width + (left * columns[index].grows // parts if parts else 0)) for index in shown]


def _needed(columns: Sequence[Column], shown: list[int]) -> int:
    return sum(columns[index].width for index in shown) + _GAP * (len(shown) - 1)


def _cut(words: str, room: int, right: bool) -> str:
    if cell_len(words) > room:
        words = set_cell_size(words, room - 1) + "…"
    gap = " " * (room - cell_len(words))
    return gap + words if right else words + gap

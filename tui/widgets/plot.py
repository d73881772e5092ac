"""Two values over time as columns, the upper one standing on the lower one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from textual.content import Content
from textual.widget import Widget

from tui.drawing import Shade, columns


class Plot(Widget):
    """Fills its place: a title with the highest value, the columns, and a line of times."""

    DEFAULT_CSS = """
    Plot { height: 1fr; min-height: 5; max-height: 16; padding: 0 1; }
    """

    def __init__(self, title: str, *, id: str) -> None:
        super().__init__(id=id)
        self._title = title
        self._lower: Sequence[float | None] = ()
        self._upper: Sequence[float | None] = ()
        self._top = ""
        self._from = self._to = ""

    @property
    def values(self) -> int:
        """How many there is room for."""
        return max(1, self.content_size.width)

    def draw(
        self, lower: Sequence[float | None], upper: Sequence[float | None], top: str, begin: str, end: str
    ) -> None:
        """Other values, the newest last. top: what is said of them, with a ■ for each. begin, end: times, in words."""
        self._lower, self._upper, self._top, self._from, self._to = lower, upper, top, begin, end
        self.refresh()

    def render(self) -> Content:
        width, height = self.content_size
        rows = max(1, height - 2)
        top = max((value for value in self._upper if value is not None), default=0.0)
        drawn = columns(self._lower[-width:], self._upper[-width:], rows, top)
        lines = [Content.assemble((self._title, "bold $primary"), "  ", *_legend(self._top)).truncate(width)]
        lines += [_row(row) for row in drawn]
        gap = " " * max(1, width - len(self._from) - len(self._to))
        lines.append(Content.styled(f"{self._from}{gap}{self._to}", "$muted"))
        return Content("\n").join(lines)


def _legend(words: str) -> list[tuple[str, str]]:
    """The first ■ has the lower curve's colour, the second the upper one's."""
    before, *rest = words.split("■")
    parts = [(before, "$muted")]
    for ink, after in zip(("$success", "$secondary"), rest, strict=False):
        parts += [("■", ink), (after, "$muted")]
    return parts


def _row(row: list[Shade]) -> Content:
    """Neighbours of one look are one piece."""
    pieces = []
    for style, shades in groupby(row, _style):
        pieces.append(("".join(shade.block for shade in shades), style))
    return Content.assemble(*pieces)


def _style(shade: Shade) -> str:
    if shade.block == " ":
        return ""
    ink = "$success" if shade.lower else "$secondary"
    return f"{ink} on $secondary" if shade.on_upper else ink

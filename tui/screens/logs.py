"""What the daemon says of itself: models that come and go, and what went wrong, without anybody's words."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import Link
from tui.panels.writing import said
from tui.screens.parted import Parted
from tui.tables.log_lines import LEVELS, detail, row, wanted
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.widgets.search import Search
from tui.words import SOUGHT_CHARS, brief, counted

MOST: Final = 2000
_ROOMY: Final = 110
"""From so many cells on, the line above names the file."""


class Logs(Parted):
    """The newest first. It follows by itself, and holds still while one looks at an older line."""

    COLUMNS = (
        Column("Time", 8),
        Column("Level", 8),
        Column("Part", 12, rank=1),
        Column("What", 40, grows=1),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "level", "Level"),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("p,space", "pause", "Pause", key_display="p"),
        Binding("y", "copy", "Copy line"),
        Binding("Y", "copy_all", "Copy all", show=False),
        Binding("escape", "clear", "Show all", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "Since the daemon started; what models and users said stands in no line. f walks through the levels.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._log: wire.Log | None = None
        self._level = LEVELS[0]
        self._words = ""
        self._paused = False

    def body(self) -> ComposeResult:
        yield from super().body()
        yield Search("words of a line")

    def show(self, kinds: frozenset[str]) -> None:
        if kinds & {"state", "log"} and not self._paused:
            self._look()
        if "state" in kinds:
            self.paint()

    def on_resize(self) -> None:
        self.call_after_refresh(self.paint)

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        if (log := await self.told(lambda client: client.log(MOST))) is not None:
            self._log = log
            self.paint()

    def _lines(self) -> dict[str, wire.LogLine]:
        lines = self._log.lines if self._log else ()
        return {str(line.number): line for line in wanted(lines, self._level, self._words)}

    def rows(self) -> list[Row]:
        return [Row(key, row(line)) for key, line in self._lines().items()]

    def line(self) -> Content:
        if self._log is None:
            return said(Toned("asking for the log …", "muted"))
        whole = len(self._log.lines)
        parts = [Toned(counted(whole, "line"))]
        if self._level != LEVELS[0] or self._words:
            words = f" and {brief(self._words, SOUGHT_CHARS)}" if self._words else ""
            parts.append(Toned(f" · {len(self._lines())} from {self._level} on{words}", "warn"))
        if self._log.dropped:
            parts.append(Toned(f" · {self._log.dropped} older ones are gone", "muted"))
        parts.append(Toned(" · paused", "warn") if self._paused else Toned(" · follows", "good"))
        if not whole:
            parts.append(Toned(" · nothing was said since the start, which is well", "muted"))
        if self.size.width >= _ROOMY:
            parts.append(Toned(f" · {self._log.file}", "muted"))
        return said(*parts)

    def detail(self, width: int) -> list[Content]:
        return detail(self._lines().get(self.key or ""), width)

    def action_level(self) -> None:
        """The next level from which lines are shown."""
        self._level = LEVELS[(LEVELS.index(self._level) + 1) % len(LEVELS)]
        self.paint()

    def action_pause(self) -> None:
        """Hold what is shown, or follow again."""
        self._paused = not self._paused
        if not self._paused:
            self._look()
        self.paint()

    def action_search(self) -> None:
        """Type what is looked for."""
        self.query_one(Search).begin()

    @on(Search.Changed)
    def _typed(self, changed: Search.Changed) -> None:
        self._words = changed.value
        self.paint()

    def action_clear(self) -> None:
        """All levels, no search."""
        self._level, self._words = LEVELS[0], ""
        self.query_one(Search).clear_all()
        self.paint()

    def action_copy(self) -> None:
        """The line with the cursor."""
        if (line := self._lines().get(self.key or "")) is not None:
            self.app.copy_to_clipboard(_written(line))
            self.notify("Copied the line")

    def action_copy_all(self) -> None:
        """All lines that are shown, the oldest first."""
        if lines := self._lines().values():
            self.app.copy_to_clipboard("\n".join(_written(line) for line in reversed(lines)))
            self.notify(f"Copied {counted(len(lines), 'line')}")


def _written(line: wire.LogLine) -> str:
    return f"{line.at.isoformat()} {line.logger} {line.level} {line.text}"

"""Requests as they run."""

from __future__ import annotations

import itertools
from typing import ClassVar, Final

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from daemon import wire
from tui.link import Link
from tui.requests import row, running_row
from tui.screens.base import Page
from tui.screens.request import Request
from tui.sieve import FIELDS, QUICK, Test, wanted
from tui.widgets.corridor import Corridor
from tui.widgets.grid import Column, Grid, Row
from tui.widgets.search import Search
from tui.words import SOUGHT_CHARS, brief, counted

COLUMNS: Final = (
    Column("", 1),
    Column("Time", 8),
    Column("Client", 12, rank=2, grows=1),
    Column("Asked for", 14, rank=5, grows=1),
    Column("Answered by", 18, grows=3),
    Column("Sure", 9, rank=1),
    Column("Words", 9),
    Column("Tokens", 10, rank=4, right=True),
    Column("Cost", 8, rank=3, right=True),
    Column("Took", 7, right=True),
    Column("Chosen by", 20, rank=6, grows=2),
    Column("Protocol", 16, rank=7),
    Column("Project", 10, rank=8, grows=1),
    Column("Record", 16, rank=9),
)
_ROOMY: Final = 90
"""From so many cells on, the line above says more to who has asked nothing yet."""
CLOCK_S: Final = 1.0
"""How often the times of running requests go on."""


class Live(Page):
    """A table of them, the newest first; beside it the one with the cursor, where there is room."""

    DEFAULT_CSS = """
    Live #line { height: 1; padding: 0 1; background: $surface; }
    Live Corridor { display: none; width: 84; border-left: solid $border; }
    Live.-wide Corridor { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (170, "-wide")]  # noqa: RUF012  # as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/"),
        Binding("f", "quick", "Filter"),
        Binding("p,space", "pause", "Pause", key_display="p"),
        Binding("y", "copy_id", "Copy id"),
        Binding("Y", "copy_record", "Copy record", show=False),
        Binding("escape", "clear", "Show all", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "Every request while it is answered, and the last ones. Enter opens one.",
        f"A search takes words, and fields before a colon: {', '.join(FIELDS)}; "
        "slow:2 for longer than 2 s; -word for those without it.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._quick = "all"
        self._words = ""
        self._held: list[Row] | None = None
        """While paused: what is shown."""
        self._held_ids: frozenset[str] = frozenset()
        self._made: dict[str, Row] = {}

    def body(self) -> ComposeResult:
        yield Static(id="line")
        with Horizontal():
            yield Grid(COLUMNS, id="requests")
            yield Corridor(self.link)
        yield Search("words, client:zed, left:masked, slow:2, -word")

    def on_mount(self) -> None:
        self.query_one(Grid).focus()
        self.set_interval(CLOCK_S, self._tick)

    def _tick(self) -> None:
        if self.link.picture.running and self.is_current:
            self.show(frozenset({"request"}))

    def show(self, kinds: frozenset[str]) -> None:
        if not kinds & {"state", "request", "record", "receipt", "purged"}:
            return
        if self._held is not None and kinds & {"state", "purged"}:
            there = self.link.picture.records.keys() | self.link.picture.running.keys()
            self._held = [row for row in self._held if row.key in there]
        rows = self._rows() if self._held is None else self._held
        self.query_one(Grid).show(rows)
        self.query_one("#line", Static).update(self._line(len(rows)), layout=False)
        self._beside()

    def _rows(self) -> list[Row]:
        now = self.link.now()
        running = self.link.picture.running.values() if self._quick == "all" and not self._words else ()
        rows = [Row(each.id, running_row(each, now)) for each in reversed(list(running))]
        test = self._test()
        records = self.link.picture.records
        rows.extend(self._row(record) for record in reversed(records.values()) if test is None or test(record))
        if len(self._made) > 2 * len(records):
            self._made = {id: made for id, made in self._made.items() if id in records}
        return rows

    def _row(self, record: wire.Record) -> Row:
        """A record doesn't change any more: its row is made once."""
        made = self._made.get(record.id)
        if made is None:
            made = self._made[record.id] = Row(record.id, row(record))
        return made

    def _test(self) -> Test | None:
        """What a record has to pass; None: all do."""
        if self._quick == "all" and not self._words:
            return None
        quick, words = QUICK[self._quick], wanted(self._words)
        return lambda record: quick(record) and words(record)

    def _line(self, shown: int) -> Content:
        picture = self.link.picture
        parts: list[str | tuple[str, str]] = [counted(len(picture.records), "request")]
        if picture.running:
            parts.append((f" · {len(picture.running)} running", "$accent"))
        if self._quick != "all" or self._words:
            sought = brief(self._words, SOUGHT_CHARS)
            words = " and ".join(filter(None, [self._quick if self._quick != "all" else "", sought]))
            parts.append((f" · {shown} {words}", "bold $warning"))
        if self._held is not None:
            fresh = len(picture.records.keys() - self._held_ids)
            parts.append((f" · paused, {fresh} new", "bold $warning"))
        if not picture.records and not picture.running:
            where = f"http://127.0.0.1:{picture.status.port if picture.status else 6327}/v1"
            parts.append((f" · point a program at {where}", "$muted"))
            if self.size.width >= _ROOMY:
                parts.append((", or try `nearloop ask hello`", "$muted"))
        return Content.assemble(*parts)

    def _beside(self) -> None:
        corridor = self.query_one(Corridor)
        if corridor.display:
            corridor.show(self.query_one(Grid).key)

    @on(Grid.Moved, "#requests")
    def _moved(self) -> None:
        self._beside()

    @on(Grid.Chosen, "#requests")
    def _chosen(self, chosen: Grid.Chosen) -> None:
        if not isinstance(chosen, Grid.Moved):
            self.app.push_screen(Request(self.link, chosen.key))

    def on_resize(self) -> None:
        self.call_after_refresh(self.show, frozenset({"record"}))

    def action_search(self) -> None:
        """Type what is looked for."""
        self.query_one(Search).begin()

    @on(Search.Changed)
    def _typed(self, changed: Search.Changed) -> None:
        self._words = changed.value
        self._again()

    def action_clear(self) -> None:
        """No search, no filter."""
        self._quick, self._words = "all", ""
        self.query_one(Search).clear_all()
        self._again()

    def action_quick(self) -> None:
        """The next quick choice."""
        names = itertools.cycle(QUICK)
        self._quick = next(after for name in names if name == self._quick for after in names)
        self._again()

    def action_pause(self) -> None:
        """Hold what is shown, or go on."""
        if self._held is None:
            self._held, self._held_ids = self._rows(), frozenset(self.link.picture.records)
        else:
            self._held = None
        self.show(frozenset({"record"}))

    def _again(self) -> None:
        if self._held is not None:
            self._held = self._rows()
        self.show(frozenset({"record"}))

    def action_copy_id(self) -> None:
        """The record's id, for `nearloop why`."""
        if (key := self.query_one(Grid).key) is not None:
            self.app.copy_to_clipboard(key)
            self.notify(f"Copied {key}")

    def action_copy_record(self) -> None:
        """The whole record as JSON."""
        record = self.link.picture.records.get(self.query_one(Grid).key or "")
        if record is not None:
            self.app.copy_to_clipboard(msgspec.json.format(msgspec.json.encode(record)).decode())
            self.notify(f"Copied the record of {record.id}")

"""What was spent, by whom and where, what may be, and what answers from here saved."""

from __future__ import annotations

import itertools
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from daemon import wire
from tui.link import TROUBLE, Link
from tui.panels.writing import said
from tui.screens.form import Field, Form
from tui.screens.parted import Parted
from tui.spending import By, Spending
from tui.tables import spending as limits
from tui.tables.spending import Whose
from tui.tables.sums import NOBODY, detail, empty, row, summed, titled
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import plain

WAYS: Final[tuple[By, ...]] = ("provider", "model", "client", "project", "session", "day")
TIMES: Final = {"today": "today", "month": "month", "7d": "7 days"}
"""As the control API takes them, and in words."""
WHOLE: Final = "whole"
"""The key of the row of all."""
LOCAL: Final = "local"
"""This machine among providers: it costs nothing, and nothing limits it."""
FIELDS: Final = (
    Field("day", "USD a day", "no limit; from midnight to midnight here"),
    Field("month", "USD a month", "no limit"),
    Field("warn_at", "Warn from", "80 % of it"),
)


class Money(Parted):
    """Limits as bars, then sums by what is chosen, the dearest first."""

    DEFAULT_CSS = """
    Money #limits { height: auto; max-height: 6; padding: 0 1; border-bottom: solid $border;
        text-wrap: nowrap; text-overflow: ellipsis; }
    Money.-tall #limits { max-height: 12; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-tall")]  # noqa: RUF012  # as Textual has it
    COLUMNS = (
        Column("Whose", 16, grows=2),
        Column("Cost", 13, right=True),
        Column("Of it", 8, rank=2),
        Column("Calls", 5, right=True),
        Column("Plan", 5, rank=1, right=True),
        Column("Unknown", 7, rank=1, right=True),
        Column("Read", 5, rank=4, right=True),
        Column("Cached", 6, rank=5, right=True),
        Column("Written", 7, rank=4, right=True),
        Column("Here", 5, rank=1, right=True),
        Column("Saved", 10, rank=3, right=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b,right", "by(1)", "By another", key_display="b"),
        Binding("B,left", "by(-1)", "By the one before", key_display="B", show=False),
        Binding("w", "window(1)", "Longer"),
        Binding("W", "window(-1)", "Shorter", show=False),
        Binding("l", "limit", "Limit"),
        Binding("L", "limit_all", "Limit all"),
        Binding("r", "again", "Look again", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "What a plan pays and what nobody knows the price of are told apart from what costs nothing: neither is 0.",
        "Limits are hard, and hold for clouds: beyond one, models on this machine answer. The stroke in a bar is where "
        "you are told of it.",
        "What was saved is an estimate: the same tokens at the list price of the cloud's model that would have been asked.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._spending = Spending(self, self.paint)

    def body(self) -> ComposeResult:
        line, table = super().body()
        yield line
        yield Static(id="limits")
        yield table

    def on_mount(self) -> None:
        super().on_mount()
        self._spending.watch()

    def show(self, kinds: frozenset[str]) -> None:
        if self.link.trouble is None:
            self._spending.hear(kinds)
        if "state" in kinds:
            self.paint()

    def on_resize(self) -> None:
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        super().paint()
        for bars in self.query("#limits").results(Static):
            bars.update(self._bars(bars.content_size.width or self.size.width - 2))

    def _bars(self, width: int) -> Content:
        if (report := self._spending.report) is None:
            return Content("\n").join(empty(width))
        others = 8 if self.has_class("-tall") else 1
        return Content("\n").join([*limits.bars(report, width, others), *summed(report.whole, width)])

    def line(self) -> Content:
        now = self._spending
        parts = [_choice(words, since == now.since) for since, words in TIMES.items()]
        parts += [Toned(" by ", "muted"), *(_choice(way, way == now.by) for way in WAYS)]
        return said(*parts)

    def rows(self) -> list[Row]:
        if (report := self._spending.report) is None:
            return []
        whole = row(report.whole, report.whole)
        found = [Row(WHOLE, (Toned("all", "strong"), *whole[1:]))]
        sums = reversed(report.rows) if report.by == "day" else report.rows
        found += [Row(f"of {each.name}", row(each, report.whole)) for each in sums]
        known = {each.name for each in report.rows}
        idle = dict.fromkeys(each.name for each in report.limits if each.scope == report.by and each.name not in known)
        return [*found, *(Row(f"of {name}", row(wire.Sums(name), report.whole)) for name in idle)]

    def detail(self, width: int) -> list[Content]:
        if (report := self._spending.report) is None or self.key is None:
            return []
        name = self.key.removeprefix("of ")
        sums = report.whole if self.key == WHOLE else self._spending.of(name)
        title = "all" if self.key == WHOLE else name or NOBODY
        whose = self._whose()
        standing = limits.of(report, whose) if whose else []
        lines = [titled(sums, f"{title}, since {report.since}"), *detail(sums, width)]
        return [*lines, *(limits.bar(f"a {each.period}", each, width) for each in standing)]

    def _whose(self) -> Whose | None:
        """Whose limit the row with the cursor is about; None: nothing limits it."""
        report = self._spending.report
        name = (self.key or "").removeprefix("of ")
        if report is None or self.key in (None, WHOLE) or report.by in ("session", "day"):
            return Whose()
        if not name:
            return None
        if report.by == "model":
            name = name.partition("/")[0]
        scope: limits.Scope = "provider" if report.by == "model" else report.by  # type: ignore[assignment]
        return None if scope == "provider" and name == LOCAL else Whose(scope, name)

    def action_by(self, by: int) -> None:
        """Sums by another thing."""
        self._spending.choose(WAYS[(WAYS.index(self._spending.by) + by) % len(WAYS)], self._spending.since)
        self.paint()

    def action_window(self, by: int) -> None:
        """Of a longer or shorter time."""
        names = itertools.cycle(TIMES if by > 0 else reversed(TIMES))
        since = next(after for name in names if name == self._spending.since for after in names)
        self._spending.choose(self._spending.by, since)
        self.paint()

    def action_again(self) -> None:
        """Ask anew."""
        self._spending.choose(self._spending.by, self._spending.since)

    def action_limit(self) -> None:
        """What may be spent by whom the cursor stands on, or by all."""
        if (whose := self._whose()) is None:
            self.notify("Nobody is named there, or it is this machine, which costs nothing", severity="warning")
        else:
            self._open(whose)

    def action_limit_all(self) -> None:
        """What may be spent in all clouds."""
        self._open(Whose())

    def _open(self, whose: Whose) -> None:
        if (report := self._spending.report) is not None:
            self._ask(whose, limits.written(limits.of(report, whose)))

    def _ask(self, whose: Whose, typed: dict[str, str], trouble: str | None = None) -> None:
        """The form, once more if what was typed can't be."""

        def done(words: dict[str, str] | None) -> None:
            if words is not None:
                self._limit(whose, words)

        about = "It holds from the next call on: beyond it models on this machine answer. An empty line is no limit."
        title = f"What may be spent {plain(whose.told)}?"
        self.app.push_screen(Form(title, about, FIELDS, typed, trouble), done)

    @work(group="do", description="limit spending")
    async def _limit(self, whose: Whose, typed: dict[str, str]) -> None:
        wanted = limits.limit_of(whose, typed)
        if isinstance(wanted, str):
            self._ask(whose, typed, wanted)
            return
        try:
            report = await self.link.call(lambda client: client.limit_spending(wanted))
        except TROUBLE as trouble:
            self._ask(whose, typed, str(trouble))
            return
        self._spending.take(report)
        self.notify(f"To spend {whose.told}: {limits.may(wanted)}", markup=False)


def _choice(words: str, chosen: bool) -> Toned:
    return Toned(f"[{words}]" if chosen else f" {words} ", "strong" if chosen else "muted")

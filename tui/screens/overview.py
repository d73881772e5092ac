"""What was answered where, how fast and for how much."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid as Tiles
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from daemon import wire
from tui.link import Link
from tui.panels.writing import cell, said
from tui.screens.base import Page
from tui.spending import Spending
from tui.tables.sums import apart, costs
from tui.tally import Tally, stretches, tally
from tui.tones import Toned
from tui.widgets.plot import Plot
from tui.widgets.tile import Tile
from tui.words import counted, energy, lasted, share, short

WINDOWS: Final = {
    "15 min": timedelta(minutes=15),
    "1 h": timedelta(hours=1),
    "24 h": timedelta(hours=24),
    "7 d": timedelta(days=7),
}
AGES: Final = {"15 min": "15m", "1 h": "1h", "24 h": "24h", "7 d": "7d"}
"""The same, as the control API takes them."""
DAYS: Final = {"7 d": "7d"}
"""Of which days the cost is told, as the control API takes them; else of today: it has no shorter time."""
MOST: Final = 1000
"""Records that the control API gives at once."""
PACE_S: Final = 1.0
"""How often it reckons anew."""
_SECONDS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
STEPS: Final = tuple(timedelta(seconds=each) for each in _SECONDS)
"""What a column of a plot may stand for."""
TILES: Final = (
    "Answered here",
    "Requests",
    "Typical",
    "Slowest 5 %",
    "Kept private",
    "Tokens/s here",
    "Cost",
    "Energy",
)


class Overview(Page):
    """Tiles, curves, and why requests went beyond this machine."""

    DEFAULT_CSS = """
    Overview #window { height: 1; padding: 0 1; background: $surface; }
    Overview #tiles { grid-size: 4; grid-gutter: 1 1; height: 9; padding: 1; grid-rows: 3; }
    Overview.-wide #tiles { grid-size: 8; height: 5; }
    Overview #curves { height: 1fr; }
    Overview #why { width: 38; padding: 0 1; }
    Overview.-wide #why { width: 60; }
    Overview #took { display: none; }
    Overview.-tall #took { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (150, "-wide")]  # noqa: RUF012  # as Textual has it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (28, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w,right", "window(1)", "Longer", key_display="w"),
        Binding("W,left", "window(-1)", "Shorter", key_display="W"),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "Sums over the time that is chosen above, of at most the last 1,000 requests at its start.",
        "The cost is that of whole days, today's or the last seven with today, of all requests.",
        "Kept private: values that were masked in what left, and values for which a request stayed here.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._window = "1 h"
        self._stale = True
        self._spending = Spending(self, self._spent)

    def body(self) -> ComposeResult:
        yield Static(id="window")
        with Tiles(id="tiles"):
            yield from (Tile(name, id=_id(name)) for name in TILES)
        with Horizontal(id="curves"):
            with Vertical():
                yield Plot("Requests", id="count")
                yield Plot("Time", id="took")
            yield Static(id="why")

    async def on_mount(self) -> None:
        self.set_interval(PACE_S, self._reckon)
        self._spending.watch()
        await self._fetch()

    def show(self, kinds: frozenset[str]) -> None:
        self._stale = self._stale or bool(kinds & {"state", "record", "purged"})
        if self.link.trouble is None:
            self._spending.hear(kinds)
        if "state" in kinds:
            self.call_after_refresh(self._reckon)

    def _spent(self) -> None:
        """The daemon told what was spent; the window may be another one meanwhile."""
        for tile in self.query(f"#{_id('Cost')}").results(Tile):
            of = self._spending.whole
            tile.tell(costs(of), apart(of), "Cost, 7 days" if self._spending.since == DAYS["7 d"] else "Cost today")

    def on_resize(self) -> None:
        self._stale = True
        self.call_after_refresh(self._reckon)

    def _reckon(self) -> None:
        if not self._stale or not self.is_current:
            return
        self._stale = False
        now, length = self.link.now(), WINDOWS[self._window]
        records = [record for record in self.link.picture.records.values() if record.at >= now - length]
        sums = tally(records)
        self.query_one("#window", Static).update(self._choices(records, now))
        self._fill(sums)
        self._draw(now)
        why = self.query_one("#why", Static)
        why.update(_lists(sums, why.content_size.width))

    def _choices(self, records: list[wire.Record], now: datetime) -> Content:
        parts = [(f" {name} ", "bold reverse $primary" if name == self._window else "$muted") for name in WINDOWS]
        held = next(iter(self.link.picture.records.values()), None)
        more = held is not None and len(records) == len(self.link.picture.records) >= MOST
        since = f"  since {held.at.astimezone():%a %H:%M}, the last {len(records)}" if more and held else ""
        return Content.assemble("the last ", *parts, (since, "$warning"))

    def _fill(self, sums: Tally) -> None:
        def tell(name: str, number: Toned, below: str) -> None:
            self.query_one(f"#{_id(name)}", Tile).tell(number, below)

        dash = Toned("–", "muted")
        tell("Answered here", Toned(share(sums.local, sums.answered), "good"), f"{sums.local} of {sums.answered}")
        tell("Requests", Toned(str(sums.requests)), f"{sums.requests - sums.answered} not answered")
        tell("Typical", dash if sums.p50_ms is None else Toned(lasted(sums.p50_ms)), "p50")
        tell("Slowest 5 %", dash if sums.p95_ms is None else Toned(f"≥ {lasted(sums.p95_ms)}"), "p95")
        kept = Toned(counted(sums.masked + sums.kept, "value"), "good")
        tell("Kept private", kept, f"{sums.masked} masked, {sums.kept} here")
        beyond = "–" if sums.beyond_per_s is None else f"{sums.beyond_per_s:.0f}"
        here = dash if sums.here_per_s is None else Toned(f"{sums.here_per_s:.0f}")
        tell("Tokens/s here", here, f"{beyond} beyond")
        tell("Energy", dash if sums.joules is None else Toned(energy(sums.joules)), _by_request(sums))

    def _draw(self, now: datetime) -> None:
        count, took = self.query_one("#count", Plot), self.query_one("#took", Plot)
        each = _step(WINDOWS[self._window] / count.values)
        parts = stretches(self.link.picture.records.values(), now, each, count.values)
        begin, end = f"{(now - each * count.values).astimezone():%a %H:%M}", f"{now.astimezone():%H:%M}"
        most = max((part.requests for part in parts), default=0)
        words = f"■ here ■ beyond  ≤ {most} in {spoken(each)}"
        count.draw([part.local for part in parts], [part.requests for part in parts], words, begin, end)
        longest = max((part.p95_ms for part in parts if part.p95_ms is not None), default=0.0)
        words = f"■ p50 ■ p95, up to {lasted(longest)}"
        took.draw([part.p50_ms for part in parts], [part.p95_ms for part in parts], words, begin, end)

    async def action_window(self, by: int) -> None:
        """A longer or shorter time."""
        names = itertools.cycle(WINDOWS if by > 0 else reversed(WINDOWS))
        self._window = next(after for name in names if name == self._window for after in names)
        since = DAYS.get(self._window, "today")
        if since != self._spending.since:
            self._spending.choose(self._spending.by, since)
        await self._fetch()

    async def _fetch(self) -> None:
        """Records that are older than what is held."""
        if self.link.trouble is None:
            found = await self.told(lambda client: client.records(AGES[self._window], MOST))
            self.link.picture.add(found.records if found else ())
        self._stale = True
        self._reckon()


def _id(name: str) -> str:
    return f"tile-{TILES.index(name)}"


def _by_request(sums: Tally) -> str:
    if sums.joules is None:
        return "the machine doesn't tell"
    return f"{energy(sums.joules / sums.requests)} a request" if sums.requests else ""


def spoken(each: timedelta) -> str:
    """`10 s`, `5 min`, `4 h`."""
    seconds = each.total_seconds()
    return next(
        (f"{seconds / unit:.0f} {name}" for unit, name in ((3600, "h"), (60, "min")) if seconds >= unit),
        f"{seconds:.0f} s",
    )


def _step(least: timedelta) -> timedelta:
    """The next longer time that people count in."""
    return next((step for step in STEPS if step >= least), STEPS[-1])


def _lists(sums: Tally, width: int) -> Content:
    lines = _list("Why beyond this machine", sums.reasons, width) or [
        Content.styled("Why beyond this machine", "bold $primary"),
        said(Toned("nothing went beyond it", "good")),
    ]
    lines += [Content(""), *_list("By model", sums.models, width)] if sums.models else []
    lines += [Content(""), *_list("By client", sums.clients, width)] if sums.clients else []
    return Content("\n").join(lines)


def _list(title: str, counts: dict[str, int], width: int) -> list[Content]:
    """A line for each: words, a bar, how many."""
    if not counts:
        return []
    room, most = max(8, width - 6), max(counts.values())
    lines = [Content.styled(title, "bold $primary")]
    for words, count in counts.items():
        lines.append(said(cell(words, room), Toned(f" {short(count):>5}", "strong")))
        lines.append(said(Toned("━" * max(1, round(count / most * max(8, width))), "accent")))
    return lines

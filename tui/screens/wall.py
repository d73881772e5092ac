"""The glass wall: the words of one request left, the very bytes that left for it right, and how sure drafts were between."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import Static

from daemon import wire
from daemon.client import Rejected
from daemon.wall_wire import GlassWall as Wall
from daemon.wall_wire import Left
from tui.link import TROUBLE, Link
from tui.panels.codes import PLACES
from tui.panels.writing import Part, said
from tui.screens.base import Page
from tui.tables.wall import between, own, sent
from tui.tones import Toned
from tui.widgets.detail import Detail
from tui.words import clock, counted, plain

_PARTS: Final = (("own", "Your words"), ("between", "Between"), ("sent", "What left"))


class GlassWall(Page):
    """Over the request that it is of. key: the record's id."""

    DEFAULT_CSS = """
    GlassWall #line { height: 1; padding: 0 1; background: $surface; }
    GlassWall #tabs { height: 1; padding: 0 1; display: none; }
    GlassWall #panes { height: 1fr; }
    GlassWall Detail { border: round $border; border-title-color: $muted; width: 1fr; height: 1fr; }
    GlassWall Detail { scrollbar-gutter: stable; }
    GlassWall Detail:focus { border: round $primary; border-title-color: $primary; }
    GlassWall.-narrow #tabs { display: block; }
    GlassWall.-narrow Detail { display: none; }
    GlassWall.-narrow Detail.-front { display: block; }
    GlassWall.-stacked #panes { layout: horizontal; }
    GlassWall.-stacked #between { dock: top; width: 100%; height: 9; }
    GlassWall.-stacked.-tall #between { height: 15; }
    GlassWall.-stacked #between.-bare { height: 3; }
    GlassWall.-wide #panes { layout: horizontal; }
    GlassWall.-wide #between { width: 42; }
    GlassWall.-widest #panes { layout: horizontal; }
    GlassWall.-widest #between { width: 66; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-stacked"), (120, "-wide"), (180, "-widest")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (34, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace,w", "app.pop_screen", "Back", key_display="esc"),
        # before scrolling, which nothing here needs
        Binding("left", "part(-1)", "Part", key_display="← →", priority=True),
        Binding("right", "part(1)", "Next part", show=False, priority=True),
        Binding("left_square_bracket", "step(-1)", "Crossing", key_display="[ ]"),
        Binding("right_square_bracket", "step(1)", "Next crossing", show=False),
        Binding("y", "copy_digest", "Digest"),
        Binding("c", "copy_bytes", "Copy bytes"),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "Your words left, the very bytes that left this machine right. "
        "A value and what stood for it are underlined, with the same number, which is not in the bytes.",
        "Held in memory for an hour at most, for you alone, and in no file.",
    )

    def __init__(self, link: Link, key: str) -> None:
        super().__init__(link)
        self._key = key
        self._wall: Wall | None = None
        self._record: wire.Record | None = None
        self._painted: tuple[Wall, wire.Record | None] | None = None
        self._at = 0
        self._front = "own"
        """The part with the focus, which is the one that is shown where there is room for one."""
        self._receipts: dict[int, wire.Receipt] = {}
        self._troubles: dict[int, str] = {}

    def body(self) -> ComposeResult:
        yield Static(id="line")
        yield Static(id="tabs")
        with Container(id="panes"):
            for id, title in _PARTS:
                pane = Detail()
                pane.id, pane.border_title = id, title
                yield pane

    def on_mount(self) -> None:
        self.query_one("#own", Detail).focus()

    def show(self, kinds: frozenset[str]) -> None:
        picture = self.link.picture
        record = picture.records.get(self._key)
        ended = record is not None and record != self._record
        if kinds & {"state", "purged"}:
            self._record = record
        left_more = "receipt" in kinds and self._key in picture.running
        if self._wall is None or ended or left_more or kinds & {"state", "purged"}:
            self._record = record or self._record
            self.run_worker(self._fetch(), exclusive=True, group="fetch")

    @property
    def left(self) -> Left | None:
        """The crossing that is shown; None: there is none."""
        crossings = self._wall.left if self._wall else ()
        return crossings[min(self._at, len(crossings) - 1)] if crossings else None

    async def _fetch(self) -> None:
        try:
            if self._record is None and self._key not in self.link.picture.running:
                self._record = (await self.link.call(lambda client: client.record(self._key))).record
            wall = await self.link.call(lambda client: client.wall(self._key))
        except TROUBLE as trouble:
            if isinstance(trouble, Rejected):  # what it doesn't tell any more isn't shown any more
                self._forget()
            self.query_one("#line", Static).update(said(Toned(plain(str(trouble)), "warn")))
            return
        if (wall, self._record) != self._painted:  # laying out a long one takes a moment
            self._wall, self._painted = wall, (wall, self._record)
            self._paint()
        await self._verify()

    def _forget(self) -> None:
        self._wall = self._painted = None
        for id, _ in _PARTS:
            self.query_one(f"#{id}", Detail).show(None, lambda width: [])

    async def _verify(self) -> None:
        """Read the receipt of the crossing that is shown."""
        left = self.left
        if left is None or left.receipt in self._receipts:
            return
        try:
            self._receipts[left.receipt] = await self.link.call(lambda client: client.receipt(left.receipt))
            self._troubles.pop(left.receipt, None)
        except TROUBLE as trouble:
            self._troubles[left.receipt] = str(trouble)
        self._paint()

    def _paint(self) -> None:
        wall, left, record = self._wall, self.left, self._record
        if wall is None or not self.query("#sent"):
            return
        number = left.receipt if left is not None else 0
        receipt, trouble = self._receipts.get(number), self._troubles.get(number)
        key = f"{self._key} {number}"
        self.query_one("#line", Static).update(self._line())
        self.query_one("#own", Detail).show(self._key, lambda width: own(wall, left))
        self.query_one("#sent", Detail).show(key, lambda width: sent(wall, left, record))
        self.query_one("#between", Detail).show(key, lambda width: between(record, left, receipt, trouble, width))
        drafted = any(attempt.curve for attempt in record.attempts) if record is not None else False
        self.query_one("#between").set_class(left is None and not drafted, "-bare")
        self._paint_tabs()

    def _line(self) -> Content:
        crossings = self._wall.left if self._wall else ()
        parts: list[Part] = [Toned(self._key, "strong"), "  "]
        if self._record is not None:
            parts += [Toned(f"{clock(self._record.at)}  ", "muted")]
        if (left := self.left) is None:
            return said(*parts, self._none_shown())
        at = min(self._at, len(crossings) - 1) + 1
        role = self._role(left)
        parts += [
            Toned(f"crossing {at} of {len(crossings)}" if len(crossings) > 1 else "one crossing", "warn"),
            "  ",
            PLACES.get(left.place, Toned("·", "muted")),
            f" {left.provider}/{left.model or '–'}",
            Toned(f"  attempt {left.attempt + 1}{role}", "muted"),
        ]
        if left.place == "device":
            parts.append(Toned("  a server on this machine: it did not leave it", "good"))
        return said(*parts)

    def _none_shown(self) -> Toned:
        """That nothing left; or that what did is not held."""
        gone = len(self._record.receipts) if self._record is not None else 0
        if gone:
            return Toned(f"{counted(gone, 'crossing')}, not held", "warn")
        return Toned("⌂ nothing left" if self._record is not None else "⌂ nothing left so far", "good")

    def _role(self, left: Left) -> str:
        attempts = self._record.attempts if self._record else ()
        role = attempts[left.attempt].role if left.attempt < len(attempts) else None
        return f", as {role}" if role else ""

    # -- parts

    def _paint_tabs(self) -> None:
        tabs: list[Part] = []
        for id, title in _PARTS:
            front = id == self._front
            tabs.append(Toned(f"▸{title} " if front else f" {title} ", "strong" if front else "muted"))
            self.query_one(f"#{id}").set_class(front, "-front")
        self.query_one("#tabs", Static).update(said(*tabs))

    @on(DescendantFocus)
    def _focused(self, event: DescendantFocus) -> None:
        self._front = event.widget.id or self._front
        self._paint_tabs()

    def action_part(self, by: int) -> None:
        """To the part beside it."""
        ids = [id for id, _ in _PARTS]
        self._front = ids[(ids.index(self._front) + by) % len(ids)]
        self._paint_tabs()
        self.call_after_refresh(self.query_one(f"#{self._front}").focus)  # what isn't shown can't have it

    def action_step(self, by: int) -> None:
        """To the crossing before or after it."""
        count = len(self._wall.left) if self._wall else 0
        if 0 <= (to := self._at + by) < count:
            self._at = to
            self._paint()
            self.run_worker(self._verify(), exclusive=True, group="verify")

    # -- copying

    def action_copy_digest(self) -> None:
        """For `sha256sum` and `nearloop receipts`."""
        if (left := self.left) is not None:
            self.app.copy_to_clipboard(left.sha256)
            self.notify(f"Copied the digest of #{left.receipt}")

    def action_copy_bytes(self) -> None:
        """As text; bytes that are none are replaced."""
        if (left := self.left) is not None and left.body is not None:
            self.app.copy_to_clipboard(left.body.decode("utf-8", "replace"))
            self.notify(f"Copied {left.body_bytes} bytes")

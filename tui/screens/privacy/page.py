"""What may leave this machine, what waits to, and what left."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from tui.link import Link
from tui.panels.writing import said
from tui.picture import EVERYTHING
from tui.screens.base import Page
from tui.screens.privacy.approvals import Approvals
from tui.screens.privacy.dictionary import Dictionary
from tui.screens.privacy.part import Part
from tui.screens.privacy.policy import Policy
from tui.screens.privacy.receipts import Receipts
from tui.tones import Toned
from tui.widgets.split import WIDTHS
from tui.widgets.strip import Strip


class Switch(Static):
    """How the switch stands that keeps everything here. A click turns it, as the key does."""

    async def on_click(self) -> None:
        await self.run_action("app.local_only")


class Privacy(Page):
    """The switch, and four parts of which one is in front."""

    DEFAULT_CSS = """
    Privacy Switch { height: 3; padding: 1 1 0 1; }
    Privacy ContentSwitcher { height: 1fr; padding-top: 1; }
    """
    HORIZONTAL_BREAKPOINTS = WIDTHS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "step(1)", "Next part", key_display="→", priority=True, show=False),
        Binding("left", "step(-1)", "Part before", key_display="←", priority=True, show=False),
        Binding("l", "app.local_only", "Local-only"),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "Whether anything may leave, what waits for your word, what left, words of your own, and the policy.",
        "← and → go through the parts. An approval's words are shown here and nowhere else.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._parts: tuple[Part, ...] = (Approvals(link), Receipts(link), Dictionary(link), Policy(link))
        self._front = 0

    def body(self) -> ComposeResult:
        yield Switch(id="switch")
        yield Strip()
        with ContentSwitcher(initial=self._parts[0].id):
            yield from self._parts

    def on_mount(self) -> None:
        self._parts[0].enter()

    def show(self, kinds: frozenset[str]) -> None:
        self.query_one("#switch", Static).update(_standing(self.link.picture.local_only))
        for part in self._parts:
            if kinds & (part.HEARS | EVERYTHING) and self.link.trouble is None:
                self.run_worker(self._look(part))
        self._label()

    async def _look(self, part: Part) -> None:
        await part.look()
        self._label()

    def _label(self) -> None:
        if self.is_attached:
            self.query_one(Strip).tell([part.name_now() for part in self._parts], self._front)

    def action_step(self, by: int) -> None:
        """To the part beside it."""
        self._bring((self._front + by) % len(self._parts))

    @on(Strip.Wanted)
    def _wanted(self, wanted: Strip.Wanted) -> None:
        self._bring(wanted.number)

    def _bring(self, number: int) -> None:
        self._front = number
        self.query_one(ContentSwitcher).current = self._parts[number].id
        self._parts[number].enter()
        self._label()


def _standing(local_only: bool) -> Content:
    if local_only:
        return Content("\n").join(
            [
                said(
                    Toned("⌂ LOCAL-ONLY", "good"),
                    Toned("   nothing leaves, whatever else is set", "strong"),
                ),
                said(Toned("l lets requests leave again, after a yes", "muted")),
            ]
        )
    return Content("\n").join(
        [
            said(Toned("○ local-only is off", "warn"), "   the policy decides what may leave"),
            said(Toned("l keeps everything on this machine, at once", "muted")),
        ]
    )

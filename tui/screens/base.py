"""What all screens have: the bar above, the keys below, and news of the daemon."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer

from daemon.client import Client
from tui.link import TROUBLE, Link
from tui.picture import EVERYTHING
from tui.widgets.topbar import TopBar
from tui.words import brief

T = TypeVar("T")
_TOLD_CHARS: Final = 600
"""Of a refusal: it may name what was typed, and shall leave room for the screen."""


class Page(Screen[None]):
    """A screen of the dashboard. A subclass gives `body`, and `show` if it has something to paint when news comes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Next part", show=False),
        Binding("shift+tab", "app.focus_previous", "Part before", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = ()
    """What the screen is for, on its page of help."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def compose(self) -> ComposeResult:
        yield TopBar(self.link)
        yield from self.body()
        yield Footer(compact=True)

    def body(self) -> ComposeResult:
        """Its widgets, between the bars."""
        yield from ()

    def show(self, kinds: frozenset[str]) -> None:
        """Paint what `self.link.picture` says now. kinds: of what happened; `state`: everything may be different."""

    def hear(self, kinds: frozenset[str]) -> None:
        """Something happened while this screen is in front; before it has its widgets, there is nothing to paint."""
        if not self.query(TopBar):
            return
        self.query_one(TopBar).refresh()
        self.show(kinds)

    def on_screen_resume(self) -> None:
        """In front again: what happened meanwhile was not painted."""
        self.hear(EVERYTHING)

    async def told(self, what: Callable[[Client], T]) -> T | None:
        """The daemon's answer, or None after its refusal was shown."""
        try:
            return await self.link.call(what)
        except TROUBLE as trouble:
            self.notify(brief(str(trouble), _TOLD_CHARS), severity="error", markup=False)
            return None

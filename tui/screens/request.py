"""One request: the corridor that it walked, as a picture."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.link import Link
from tui.screens.base import Page
from tui.screens.wall import GlassWall
from tui.widgets.corridor import Corridor


class Request(Page):
    """Over the screen from which it was opened. key: the record's id."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace,left", "app.pop_screen", "Back", key_display="esc"),
        Binding("w", "wall", "Glass wall"),
        Binding("y", "copy_id", "Copy id"),
        Binding("Y", "copy_record", "Copy record", show=False),
        Binding("n,right_square_bracket", "step(-1)", "Newer", key_display="]"),
        Binding("o,left_square_bracket", "step(1)", "Older", key_display="["),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "What was seen in it, how far it might travel, who was chosen and why, how sure each answer was, and what left.",
        "The glass wall shows its words beside the very bytes that left, as long as they are held in memory.",
    )

    def __init__(self, link: Link, key: str) -> None:
        super().__init__(link)
        self._key = key

    def body(self) -> ComposeResult:
        yield Corridor(self.link)

    def on_mount(self) -> None:
        self.query_one(Corridor).focus()

    def show(self, kinds: frozenset[str]) -> None:
        self.query_one(Corridor).show(self._key, anew=bool(kinds & {"state", "purged"}))

    def action_step(self, by: int) -> None:
        """To the request before or after it."""
        ids = list(reversed(self.link.picture.records))
        if self._key in ids and 0 <= (to := ids.index(self._key) + by) < len(ids):
            self._key = ids[to]
            self.query_one(Corridor).show(self._key)

    def action_wall(self) -> None:
        """Its words, and what left for it, side by side."""
        self.app.push_screen(GlassWall(self.link, self._key))

    def action_copy_id(self) -> None:
        """For `nearloop why`."""
        self.app.copy_to_clipboard(self._key)
        self.notify(f"Copied {self._key}")

    def action_copy_record(self) -> None:
        """All of it as JSON."""
        record = self.link.picture.records.get(self._key)
        if record is not None:
            self.app.copy_to_clipboard(msgspec.json.format(msgspec.json.encode(record)).decode())
            self.notify(f"Copied the record of {record.id}")

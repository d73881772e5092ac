"""One answer on the playground, as it comes."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from daemon.client import Talk
from tui.link import TROUBLE, Link
from tui.tables.answers import Told, body, foot, head

PACE_S: Final = 0.1
"""Between two repaints, however many words come."""


class Words(VerticalScroll, can_focus=True):
    """What was answered."""


class Answer(Vertical):
    """Asks, shows the words while they come, and what the record says when it is there."""

    DEFAULT_CSS = """
    Answer { width: 1fr; height: 1fr; border: round $border; padding: 0 1; }
    Answer:focus-within { border: round $primary; }
    Answer Words { height: 1fr; scrollbar-size-vertical: 1; margin: 1 0; }
    Answer Static { height: auto; }
    """

    def __init__(self, link: Link, model: str, id: str) -> None:
        super().__init__(id=id)
        self._link = link
        self.told = Told(model)
        self.record_id: str | None = None
        self._began = 0.0
        self._stale = True

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with Words():
            yield Static(id="words")
        yield Static(id="foot")

    def on_mount(self) -> None:
        self.set_interval(PACE_S, self._paint)

    def on_resize(self) -> None:
        self._stale = True

    @property
    def asking(self) -> bool:
        """Whether words are still coming."""
        return self.told.state == "asking"

    def turn_to(self, model: str) -> None:
        """Somebody else is asked next."""
        self.stop()
        self.told, self.record_id, self._stale = Told(model), None, True

    def ask(self, question: str) -> None:
        """In place of what was asked before."""
        self.stop()
        self.told, self.record_id = Told(self.told.model, "asking"), None
        self._began = time.monotonic()
        self.run_worker(self._ask(self.told, question), group="ask")

    def stop(self) -> None:
        """The engine, too."""
        if self.asking:
            self.told.state = "stopped"
            self.workers.cancel_group(self, "ask")
            self._stale = True

    async def _ask(self, told: Told, question: str) -> None:
        try:
            talk = Talk(self._link.paths, told.model, question)
            async with aclosing(talk.words()) as words:
                async for each in words:
                    if told.first_s is None:
                        told.first_s = time.monotonic() - self._began
                    told.words += each
                    self._take(told, talk.record_id)
            self._take(told, talk.record_id)
            told.state = "ended"
        except TROUBLE as trouble:
            told.state, told.trouble = "failed", str(trouble)
        told.took_s = time.monotonic() - self._began
        self._stale = True
        self.look()  # its record may have come before its last word

    def _take(self, told: Told, record_id: str | None) -> None:
        if told is self.told:
            self.record_id, self._stale = record_id, True

    def look(self) -> None:
        """Its record may have come."""
        if self.record_id is not None and self.told.record is None:
            self.told.record = self._link.picture.records.get(self.record_id)
            self._stale = True

    def judge(self, right: bool) -> None:
        """What its reader said."""
        self.told.verdict, self._stale = right, True

    def _paint(self) -> None:
        if not self._stale and not self.asking:
            return
        if self.asking:
            self.told.took_s = time.monotonic() - self._began
        self._stale = False
        words = self.query_one(Words)
        follows = words.scroll_offset.y >= words.max_scroll_y
        self.query_one("#head", Static).update(head(self.told))
        self.query_one("#words", Static).update(Content("\n").join(body(self.told)))
        self.query_one("#foot", Static).update(Content("\n").join(foot(self.told, self.content_size.width)))
        if follows:
            words.scroll_end(animate=False)

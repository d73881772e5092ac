"""What waits for the user's word, and the keys that give it."""

from __future__ import annotations

import time
from typing import ClassVar, Final, Literal

from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from daemon.client import Client, Rejected
from tui.link import Link
from tui.panels.writing import said, wrapped
from tui.screens.confirm import Confirm
from tui.screens.privacy.part import Part
from tui.tables.approvals import left_s, lines, row, to
from tui.tones import Toned
from tui.widgets.grid import Column, Grid, Row

SETTLE_S: Final = 0.7
"""So long an answer isn't taken after another question came to stand where one was just read."""
CLOCK_S: Final = 1.0
Answer = Literal["allow", "mask", "deny"]
Scope = Literal["once", "session", "project"]
_DONE: Final = {"allow": "It may leave", "mask": "It may leave masked", "deny": "It stays on this machine"}


class Approvals(Part):
    """The oldest first, each with the time that is left."""

    HEARS = frozenset({"approval"})
    COLUMNS = (
        Column("Left", 12),
        Column("What", 14, rank=2, grows=1),
        Column("Asked by", 11, rank=1),
        Column("Would go to", 16, grows=1),
        Column("Holds", 18, grows=3),
        Column("Project", 10, rank=3, grows=1),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('allow', 'once')", "Let it"),
        Binding("m", "answer('mask', 'once')", "Masked"),
        Binding("n", "answer('deny', 'once')", "Keep"),
        Binding("s", "answer('allow', 'session')", "Session", show=False),
        Binding("A", "always", "Always"),
    ]

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._waiting: dict[str, wire.Approval] = {}
        self._settled_at = 0.0

    def on_mount(self) -> None:
        self.set_interval(CLOCK_S, self._tick)

    def _tick(self) -> None:
        if self._waiting and self.page.is_current and self.display:
            self.paint()

    def name_now(self) -> str:
        waiting = len(self._waiting)
        return f"Approvals {waiting}" if waiting else "Approvals"

    async def fetch(self) -> None:
        found = await self.page.told(lambda client: _read(client, self._waiting))
        if found is not None:
            self._waiting = found

    def rows(self) -> list[Row]:
        now = self.link.now()
        return [Row(each.id, row(each, now)) for each in self._waiting.values() if left_s(each, now) > 0]

    def paint(self) -> None:
        before = self.key if self.query(Grid) else None
        super().paint()
        if before is not None and self.key != before:
            self._settled_at = time.monotonic() + SETTLE_S

    def detail(self, width: int) -> list[Content]:
        if self.key is None:
            about = (
                "What you are asked about waits here, with the time that is left: requests that would leave, and tool "
                "calls that would carry a secret. Without an answer it stays on this machine."
            )
            return [said(Toned("Nothing waits for your word", "good")), said(""), *wrapped(about, width)]
        return lines(self._waiting[self.key], self.link.now(), width)

    def action_always(self) -> None:
        """For good; that takes one more word."""
        waiting = self._waiting.get(self.key or "")
        if waiting is None:
            return
        who = waiting.client
        if who is None:
            self.notify("It has no token, so it can't be known again: let it leave this once", severity="warning")
            return
        question = f"Let these values leave to {to(waiting)} for good, whenever {who} sends them?"
        self.app.push_screen(Confirm(question, "For good"), lambda yes: self._go(waiting.id, yes))

    def _go(self, id: str, yes: bool | None) -> None:
        if yes:
            self.run_worker(self._say(id, wire.NewAnswer("allow", "project")))

    def action_answer(self, answer: Answer, scope: Scope) -> None:
        """The user's word."""
        waiting = self._waiting.get(self.key or "")
        if waiting is None:
            return
        if answer == "mask" and not waiting.may_mask:
            self.notify("It can't leave masked: what was found there can't be replaced", severity="warning")
        elif time.monotonic() < self._settled_at and answer != "deny":
            self.notify("Another question has just come to stand here: look again", severity="warning")
        else:
            self.run_worker(self._say(waiting.id, wire.NewAnswer(answer, scope)))

    async def _say(self, id: str, answer: wire.NewAnswer) -> None:
        if await self.page.told(lambda client: client.answer(id, answer)) is not None:
            self.notify(_DONE[answer.answer])
        await self.look()


def _read(client: Client, known: dict[str, wire.Approval]) -> dict[str, wire.Approval]:
    """What waits, with the very words; each is read once."""
    found = {}
    for each in client.approvals().approvals:
        try:
            found[each.id] = known.get(each.id) or client.approval(each.id)
        except Rejected:  # answered, or over, meanwhile
            continue
    return found

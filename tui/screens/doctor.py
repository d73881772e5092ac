"""What is wrong here, and what to do about it."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import Link
from tui.panels.writing import said
from tui.screens.parted import Parted
from tui.tables.findings import detail, row, sorted_by_severity, summary
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import clock


class Doctor(Parted):
    """The findings, the worst first. It examines when it is first opened, and when it is asked to."""

    COLUMNS = (
        Column("", 8),
        Column("Check", 13),
        Column("Finding", 40, grows=3),
        Column("Remedy", 30, rank=1, grows=2),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "again", "Examine again"),
        Binding("y", "copy", "Copy remedy"),
        Binding("Y", "copy_all", "Copy all"),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = ("The same as `nearloop doctor`, by the daemon, on its machine.",)

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._found: dict[str, wire.Diagnosis] = {}
        self._at: datetime | None = None
        self._examining = False

    def show(self, kinds: frozenset[str]) -> None:
        if "state" in kinds:
            if self._at is None and not self._examining:
                self._examine()
            self.paint()

    @work(exclusive=True, group="examine")
    async def _examine(self) -> None:
        self._examining = True
        self.paint()
        found = await self.told(lambda client: client.doctor())
        self._examining = False
        if found is not None:
            # Two findings of one check can have the same words.
            self._found = {f"{number} {each.check}": each for number, each in enumerate(sorted_by_severity(found))}
            self._at = self.link.now()
        self.paint()

    def rows(self) -> list[Row]:
        return [Row(key, row(each)) for key, each in self._found.items()]

    def line(self) -> Content:
        parts = summary(tuple(self._found.values())) if self._found else []
        if self._examining:
            parts.append(Toned(" · " if parts else "", "muted"))
            parts.append(Toned("examining …", "accent"))
        elif self._at is not None:
            parts.append(Toned(f" · as of {clock(self._at)}", "muted"))
        return said(*parts)

    def detail(self, width: int) -> list[Content]:
        return detail(self._found.get(self.key or ""), width)

    def action_again(self) -> None:
        """All checks anew."""
        if not self._examining:
            self._examine()

    def action_copy(self) -> None:
        """The remedy, or the finding if it needs none."""
        if (found := self._found.get(self.key or "")) is not None:
            self.app.copy_to_clipboard(found.remedy or found.text)
            self.notify("Copied")

    def action_copy_all(self) -> None:
        """All findings as text, for a report."""
        if not self._found:
            return
        lines = (
            f"{each.severity}: {each.text}" + (f"\n    {each.remedy}" if each.remedy else "")
            for each in self._found.values()
        )
        self.app.copy_to_clipboard("\n".join(lines))
        self.notify("Copied all findings")

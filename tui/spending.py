"""What was spent, as the daemon last said it to a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Final, Literal

from textual.worker import Worker

from daemon import wire
from tui.screens.base import Page

By = Literal["client", "project", "provider", "model", "session", "day"]
PACE_S: Final = 1.0
"""Between two questions at least, however many requests rush by."""
TURN_S: Final = 20.0
"""How often it is looked whether another day began, on which nothing was heard yet."""
HEARS: Final = frozenset({"state", "request", "record", "spending", "settings", "purged"})
"""What changes sums and limits: a call that begins has its most kept for it."""


class Spending:
    """Asks for one screen, one question at a time. report: the last answer. painted: called with each."""

    def __init__(self, page: Page, painted: Callable[[], None], by: By = "provider", since: str = "today") -> None:
        self.by: By = by
        self.since = since
        self.report: wire.SpendingReport | None = None
        self._page = page
        self._painted = painted
        self._worker: Worker[None] | None = None
        self._fresh = False
        self._day: date | None = None
        """On which it was asked."""

    def watch(self) -> None:
        """Ask anew when a day begins, as long as the screen is there."""
        self._page.set_interval(TURN_S, self._turn)

    def hear(self, kinds: frozenset[str]) -> None:
        """Something happened."""
        if kinds & HEARS:
            self._fresh = True
            if self._worker is None or self._worker.is_finished:
                self._begin()

    def choose(self, by: By, since: str) -> None:
        """Ask something else, at once."""
        self.by, self.since = by, since
        self._fresh = True
        self._begin()

    def take(self, report: wire.SpendingReport) -> None:
        """The daemon said how limits stand, in answer to something else."""
        self._fresh = True
        if self.report is None or (report.by, report.since) == (self.report.by, self.report.since):
            self.report = report
        self._painted()
        self._begin()

    def of(self, name: str) -> wire.Sums:
        """One row's."""
        rows = self.report.rows if self.report is not None else ()
        return next((each for each in rows if each.name == name), wire.Sums(name))

    @property
    def whole(self) -> wire.Sums:
        """All rows together."""
        return self.report.whole if self.report is not None else wire.Sums("")

    def _begin(self) -> None:
        self._worker = self._page.run_worker(self._ask(), group="spending", exclusive=True)

    async def _ask(self) -> None:
        while self._fresh:
            self._fresh = False
            by, since, self._day = self.by, self.since, self._today
            if (found := await self._page.told(lambda client: client.spending(by, since))) is None:  # noqa: B023
                return
            self.report = found
            self._painted()
            await asyncio.sleep(PACE_S)

    @property
    def _today(self) -> date:
        return self._page.link.now().astimezone().date()

    def _turn(self) -> None:
        if self._page.is_current and self._day not in (None, self._today):
            self.hear(HEARS)

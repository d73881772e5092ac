"""The table of what is shown of one request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from textual.content import Content

from daemon import wire
from tui.panels import attempts, clearance, decision, ledger, pictures, receipts, signals, times, walk


class Panel(NamedTuple):
    """A part of the picture. lines: makes it of a record, for so many cells; none where there is nothing to show. title:
    none for the head.
    """

    title: str
    lines: Callable[[wire.Record, int], list[Content]]


PANELS: Final = (
    Panel("", walk.lines),
    Panel("Signals", signals.lines),
    Panel("Pictures", pictures.lines),
    Panel("Clearance", clearance.lines),
    Panel("Decision", decision.lines),
    Panel("Attempts", attempts.lines),
    Panel("Time", times.lines),
    Panel("Ledger", ledger.lines),
    Panel("Receipts", receipts.lines),
)
"""In the order of the corridor. A panel is a file, and a line here."""

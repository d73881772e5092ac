"""The benchmark itself: every row through the boundary, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from daemon.leakage.corridor import Corridor
from daemon.leakage.report import Counting, Report
from daemon.leakage.rows import Row

Progress = Callable[[int], None]
"""Called with how many rows are done."""


async def measure(corridor: Corridor, rows: Sequence[Row], policy: str, progress: Progress) -> Report:
    """Take all rows. policy: its name in the report."""
    began = monotonic()
    counting = Counting()
    for done, row in enumerate(rows, 1):
        counting.take(row, await corridor.cross(row.text))
        progress(done)
    return counting.report(policy, round(monotonic() - began, 3))

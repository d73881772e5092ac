"""Lines of the daemon's log as rows."""

from __future__ import annotations

import msgspec

from tests.fakes import told_faults
from tui.tables.log_lines import LEVELS, detail, row, wanted

LINES = told_faults.log().lines


def test_levels_and_words_choose() -> None:
    """From a level on, the newest first; each word has to be in the line or its part's name."""
    assert [len(wanted(LINES, level, "")) for level in LEVELS] == [6, 4, 2]
    assert [line.number for line in wanted(LINES, "info", "POOL unloaded")] == [18, 13]
    odd = msgspec.structs.replace(LINES[0], level="level 45")
    assert wanted((odd,), "error", "") == [odd]


def test_a_row_is_one_line() -> None:
    """The first of a long one, with the part's short name."""
    assert [cell.words for cell in row(LINES[4])][1:] == ["error", "asyncio", "a task failed"]
    assert row(LINES[0])[2].words == "pool"


def test_the_detail_has_all_of_it() -> None:
    """Every line of it, and the day."""
    told = "\n".join(str(line) for line in detail(LINES[4], 80))

    assert "OSError in /opt/nearloop/daemon/server.py:44" in told
    assert "2026-01-02" in told
